#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "dygraph/calls.h"
#include "dygraph/eager_abi.h"

namespace native_ops {

using paddle::Tensor;

namespace {

void Require(bool served) {
  if (!served) throw NotServed();
}

// Arguments by position in the signature.
constexpr size_t kMaxParameters = 9;
using Bound = std::array<PyObject*, kMaxParameters>;

// A Python function, and what it has answered. Most calls are like the one
// before: `latest` is compared by identity, without a key to make and to hash.
class Memo {
 public:
  explicit Memo(PyObject* function) {
    if (function == Py_None) return;
    Py_INCREF(function);
    function_ = function;
    known_ = PyDict_New();
  }

  bool exists() const { return function_ != nullptr; }

  // What it says of x and the `count` arguments at `rest`, which are of types
  // that do not change; `kind` is what else that depends on.
  py::object Ask(int kind, PyObject* x, PyObject* const* rest, size_t count) {
    if (IsLatest(kind, rest, count)) return latest_answer_;
    py::tuple key(count + 1);
    key[0] = py::int_(kind);
    for (size_t i = 0; i < count; ++i) key[i + 1] = py::handle(rest[i]);
    latest_answer_ = Remembered(key, x, rest, count);
    latest_kind_ = kind;
    latest_key_ = std::move(key);
    return latest_answer_;
  }

 private:
  bool IsLatest(int kind, PyObject* const* rest, size_t count) const {
    if (!latest_key_ || kind != latest_kind_) return false;
    for (size_t i = 0; i < count; ++i) {
      if (PyTuple_GET_ITEM(latest_key_.ptr(), i + 1) != rest[i]) return false;
    }
    return true;
  }

  py::object Remembered(const py::tuple& key,
                        PyObject* x,
                        PyObject* const* rest,
                        size_t count) {
    PyObject* known = PyDict_GetItemWithError(known_, key.ptr());
    if (known != nullptr) return py::reinterpret_borrow<py::object>(known);
    std::vector<PyObject*> args = {x};
    args.insert(args.end(), rest, rest + count);
    auto answer = py::reinterpret_steal<py::object>(
        PyObject_Vectorcall(function_, args.data(), args.size(), nullptr));
    Require(answer && !answer.is_none());
    if (PyDict_GET_SIZE(known_) >= kMost) PyDict_Clear(known_);
    PyDict_SetItem(known_, key.ptr(), answer.ptr());
    return answer;
  }

  static constexpr Py_ssize_t kMost = 64;

  PyObject* function_ = nullptr;
  PyObject* known_ = nullptr;
  int latest_kind_ = 0;
  py::object latest_key_;
  py::object latest_answer_;
};

struct Parameter {
  PyObject* name;       // interned, as the names in calls are
  PyObject* otherwise;  // null: it must be given
};

// What a module holds by a name at first.
struct Original {
  PyObject* module_dict;  // borrowed: the module stays
  PyObject* name;
  PyObject* function;
  const OpSpec* entry;  // whose calls it is for; null: all

  bool Stands(const OpSpec& called) const {
    return (entry != nullptr && entry != &called) ||
           PyDict_GetItemWithError(module_dict, name) == function;
  }
};

struct DirectApi {
  const OpSpec* spec;
  bool inplace;
  std::vector<Parameter> parameters;
  Memo decide;
  Memo fill;
  std::vector<Original> originals;
};

struct DirectCall {
  const OpSpec* spec;
  paddle::small_vector<PyObject*, kMaxParameters> args;  // of the entry
  py::object made;  // holds those of them that no argument holds
};

size_t PositionOf(const DirectApi& api, PyObject* name) {
  size_t at = 0;
  while (at < api.parameters.size() && api.parameters[at].name != name) ++at;
  Require(at < api.parameters.size());
  return at;
}

// What a call f(*args, **kwargs) gives for each parameter.
Bound Bind(const DirectApi& api, PyObject* args, PyObject* kwargs) {
  const size_t size = api.parameters.size();
  const size_t count = PyTuple_GET_SIZE(args);
  Require(count <= size);
  Bound bound{};
  for (size_t i = 0; i < count; ++i) bound[i] = PyTuple_GET_ITEM(args, i);
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &name, &value);) {
    PyObject*& place = bound[PositionOf(api, name)];
    Require(place == nullptr);
    place = value;
  }
  for (size_t i = 0; i < size; ++i) {
    const Parameter& parameter = api.parameters[i];
    if (bound[i] == nullptr) bound[i] = parameter.otherwise;
    Require(bound[i] != nullptr);
    if (i < api.spec->inputs.size()) continue;
    Require(Py_TYPE(bound[i]) == (parameter.otherwise == nullptr
                                      ? &PyLong_Type
                                      : Py_TYPE(parameter.otherwise)));
  }
  return bound;
}

// A kernel checks the type of an index itself.
void CheckDtypes(const OpSpec& spec, const Bound& bound) {
  const phi::DataType x = CheckedTensor(bound[0]).dtype();
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const char* name = spec.inputs[i].name;
    const Tensor& tensor = CheckedTensor(bound[i]);
    Require(std::strcmp(name, "index") == 0 ||
            tensor.dtype() == UsualDtype(name, x));
  }
}

// The number of a fill as a Tensor. To make one takes as long as to fill a
// small x.
py::object FillTensor(Memo* fill, PyObject* x, PyObject* number) {
  const bool is_float = PyFloat_CheckExact(number);
  Require(is_float || PyLong_CheckExact(number));
  const int dtype = static_cast<int>(CheckedTensor(x).dtype());
  const bool negative = is_float && std::signbit(PyFloat_AS_DOUBLE(number));
  return fill->Ask(2 * dtype + negative, x, &number, 1);
}

// Which entry serves the call, and its attributes. The rank stands for x: it
// says what a negative axis is.
py::object Decide(DirectApi* api, const Bound& bound) {
  const size_t tensors = api->spec->inputs.size();
  const size_t others = api->parameters.size() - tensors;
  PyObject* const* const first = bound.data() + tensors;
  const int rank = CheckedTensor(bound[0]).dims().size();
  return api->decide.Ask(rank, bound[0], first, others);
}

void Read(DirectApi* api, Bound bound, DirectCall* call) {
  const size_t tensors = api->spec->inputs.size();
  call->spec = api->spec;
  PyObject*& last = bound[tensors - 1];
  if (api->fill.exists() && !paddle::pybind::PyCheckTensor(last)) {
    call->made = FillTensor(&api->fill, bound[0], last);
    last = call->made.ptr();
  }
  CheckDtypes(*api->spec, bound);
  PyObject* const* attrs = bound.data() + tensors;
  if (api->decide.exists()) {
    call->made = Decide(api, bound);
    call->spec = &SpecOf(PyTuple_GET_ITEM(call->made.ptr(), 0));
    attrs = PySequence_Fast_ITEMS(PyTuple_GET_ITEM(call->made.ptr(), 1));
  }
  call->args.append(bound.data(), bound.data() + tensors);
  call->args.append(attrs, attrs + call->spec->attrs.size());
}

// f(args, kwargs), as the Python function was given them: its result, or
// NotImplemented.
PyObject* CallDirect(PyObject* self, PyObject* const* given, Py_ssize_t count) {
  auto* api = static_cast<DirectApi*>(PyCapsule_GetPointer(self, nullptr));
  DirectCall read;
  bool records = false;
  std::optional<Call> call;
  try {
    Require(count == 2 && PyTuple_Check(given[0]) && PyDict_Check(given[1]));
    Require(IsPlainDygraph());
    Read(api, Bind(*api, given[0], given[1]), &read);
    for (const Original& original : api->originals) {
      Require(original.Stands(*read.spec));
    }
    records = Records(*read.spec, read.args.data());
    Require(!(api->inplace && records));
    call.emplace(*read.spec, read.args.data(), read.args.size(), api->inplace);
  } catch (...) {
    // NotServed, or an error that the Python function will find again.
    PyErr_Clear();
    Py_RETURN_NOTIMPLEMENTED;
  }
  // An error from here on is one of a hook for saved Tensors, which the Python
  // function might not find again.
  return Guarded([&]() -> PyObject* {
    if (api->inplace) return call->ChangedInput();
    if (records) call->Record();
    return call->Results();
  });
}

PyMethodDef kCallDirect = MethodOf("direct", CallDirect, METH_FASTCALL);

// Never given back, as are the objects below: the functions of a module stay.
PyObject* Interned(const py::handle& name) {
  PyObject* found = name.inc_ref().ptr();
  PyUnicode_InternInPlace(&found);
  return found;
}

Parameter ReadParameter(const py::tuple& words) {
  PyObject* otherwise =
      words.size() == 1 ? nullptr : py::object(words[1]).release().ptr();
  return {Interned(words[0]), otherwise};
}

Original ReadOriginal(const py::tuple& words) {
  PyObject* const dict = PyModule_GetDict(py::object(words[0]).ptr());
  PyObject* const name = Interned(words[1]);
  PyObject* const function = PyDict_GetItem(dict, name);
  Py_XINCREF(function);
  const py::object entry = words[2];
  return {
      dict, name, function, entry.is_none() ? nullptr : &SpecOf(entry.ptr())};
}

}  // namespace

PyObject* MakeDirect(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    CheckCount("direct", count, 6);
    auto api = std::make_unique<DirectApi>(DirectApi{&SpecOf(args[0]),
                                                     args[1] == Py_True,
                                                     {},
                                                     Memo(args[3]),
                                                     Memo(args[4]),
                                                     {}});
    for (const py::handle words : py::handle(args[2]).cast<py::tuple>()) {
      api->parameters.push_back(ReadParameter(words.cast<py::tuple>()));
    }
    Require(api->parameters.size() <= kMaxParameters);
    for (const py::handle words : py::handle(args[5]).cast<py::tuple>()) {
      api->originals.push_back(ReadOriginal(words.cast<py::tuple>()));
    }
    const auto self = py::reinterpret_steal<py::object>(
        PyCapsule_New(api.release(), nullptr, nullptr));
    return PyCFunction_NewEx(&kCallDirect, self.ptr(), nullptr);
  });
}

}  // namespace native_ops

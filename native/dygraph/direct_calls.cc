#include "dygraph/direct_calls.h"

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "dygraph/dygraph_state.h"
#include "dygraph/eager_abi.h"
#include "dygraph/grad_node.h"
#include "python/python_args.h"

namespace native_ops {

using paddle::Tensor;
using phi::DenseTensor;

namespace {

void Require(bool served) {
  if (!served) throw NotServed();
}

// Arguments by position in the signature.
constexpr size_t kMaxParameters = 9;
using Bound = std::array<PyObject*, kMaxParameters>;

// A Python function, and what it has answered.
class Memo {
 public:
  explicit Memo(PyObject* function) {
    if (function == Py_None) return;
    Py_INCREF(function);
    function_ = function;
    known_ = PyDict_New();
  }

  bool exists() const { return function_ != nullptr; }

  // What it says of x and the `count` arguments at `rest`; `key` is what that
  // depends on.
  py::object Ask(const py::tuple& key,
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

 private:
  static constexpr Py_ssize_t kMost = 64;

  PyObject* function_ = nullptr;
  PyObject* known_ = nullptr;
};

struct Parameter {
  PyObject* name;       // interned, as the names in calls are
  PyObject* otherwise;  // null: it must be given
};

struct DirectApi {
  const OpSpec* spec;
  bool inplace;
  std::vector<Parameter> parameters;
  Memo decide;
  Memo fill;
};

struct DirectCall {
  const OpSpec* spec;
  std::vector<Tensor*> tensors;
  Attrs attrs;
  py::object made;  // holds the one of the Tensors that no argument holds
};

size_t PositionOf(const DirectApi& api, PyObject* name) {
  size_t at = 0;
  while (at < api.parameters.size() && api.parameters[at].name != name) ++at;
  Require(at < api.parameters.size());
  return at;
}

Bound Bind(const DirectApi& api,
           PyObject* const* args,
           Py_ssize_t count,
           PyObject* names) {
  const size_t size = api.parameters.size();
  Require(static_cast<size_t>(count) <= size);
  Bound bound{};
  for (Py_ssize_t i = 0; i < count; ++i) bound[i] = args[i];
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject*& place = bound[PositionOf(api, PyTuple_GET_ITEM(names, i))];
    Require(place == nullptr);
    place = args[count + i];
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

// A Tensor whose elements a kernel can read as they lie.
Tensor* Plain(PyObject* object) {
  const Tensor& tensor = CheckedTensor(object);
  Require(tensor.is_dense_tensor());
  const auto& dense = *static_cast<const DenseTensor*>(tensor.impl().get());
  Require(dense.initialized() && dense.meta().is_contiguous() &&
          dense.place().GetType() == phi::AllocationType::CPU);
  return const_cast<Tensor*>(&tensor);
}

// A kernel checks the type of an index itself.
bool HasDtype(const char* name, const Tensor& tensor, const Tensor& x) {
  if (std::strcmp(name, "mask") == 0) {
    return tensor.dtype() == phi::DataType::BOOL;
  }
  return std::strcmp(name, "index") == 0 || tensor.dtype() == x.dtype();
}

// The number of a fill as a Tensor. To make one takes as long as to fill a
// small x.
py::object FillTensor(Memo* fill, PyObject* x, PyObject* number) {
  const bool is_float = PyFloat_CheckExact(number);
  Require(is_float || PyLong_CheckExact(number));
  const auto dtype = py::int_(static_cast<int>(CheckedTensor(x).dtype()));
  const bool negative = is_float && std::signbit(PyFloat_AS_DOUBLE(number));
  PyObject* sign = negative ? Py_True : Py_False;
  const auto key = py::reinterpret_steal<py::tuple>(
      PyTuple_Pack(3, dtype.ptr(), number, sign));
  return fill->Ask(key, x, &number, 1);
}

std::vector<Tensor*> ReadTensors(DirectApi* api,
                                 Bound* bound,
                                 py::object* made) {
  const std::vector<InputSpec>& inputs = api->spec->inputs;
  PyObject*& last = (*bound)[inputs.size() - 1];
  if (api->fill.exists() && !paddle::pybind::PyCheckTensor(last)) {
    *made = FillTensor(&api->fill, (*bound)[0], last);
    last = made->ptr();
  }
  std::vector<Tensor*> tensors;
  tensors.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    tensors.push_back(Plain((*bound)[i]));
    Require(HasDtype(inputs[i].name, *tensors[i], *tensors[0]));
  }
  return tensors;
}

// The rank stands for x: it says what a negative axis is.
DirectCall Decide(DirectApi* api,
                  const Bound& bound,
                  std::vector<Tensor*> tensors) {
  const size_t others = api->parameters.size() - tensors.size();
  PyObject* const* const first = bound.data() + tensors.size();
  py::tuple key(others + 1);
  key[0] = py::int_(tensors[0]->dims().size());
  for (size_t i = 0; i < others; ++i) key[i + 1] = py::handle(first[i]);
  const py::tuple answer(api->decide.Ask(key, bound[0], first, others));
  const OpSpec& spec = SpecOf(PyTuple_GET_ITEM(answer.ptr(), 0));
  PyObject* attrs = PyTuple_GET_ITEM(answer.ptr(), 1);
  return {&spec,
          std::move(tensors),
          ReadAttrs(spec, PySequence_Fast_ITEMS(attrs)),
          {}};
}

DirectCall Read(DirectApi* api, Bound bound) {
  py::object made;
  std::vector<Tensor*> tensors = ReadTensors(api, &bound, &made);
  if (api->decide.exists()) return Decide(api, bound, std::move(tensors));
  const Attrs attrs = ReadAttrs(*api->spec, bound.data() + tensors.size());
  return {api->spec, std::move(tensors), attrs, std::move(made)};
}

// Below this the threads that wait for the GIL lose less by waiting than the
// call does by handing it over.
constexpr int64_t kReleaseBytes = 64 << 10;

class GilRelease {
 public:
  explicit GilRelease(const DenseTensor& x) {
    const int64_t bytes =
        x.numel() * static_cast<int64_t>(phi::SizeOf(x.dtype()));
    if (bytes >= kReleaseBytes) release_.emplace();
  }

 private:
  std::optional<py::gil_scoped_release> release_;
};

// For each input whether its gradient is to be recorded; empty: none is.
std::vector<bool> WantedGradients(const DirectCall& call) {
  std::vector<bool> wanted(call.tensors.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = WantsGradient(*call.tensors[i]);
  }
  for (const OutputSpec& gradient : call.spec->gradient().outputs) {
    if (wanted[gradient.from] && HasGrad()) return wanted;
  }
  return {};
}

PyObject* ServeInplace(const DirectCall& call,
                       const Inputs& inputs,
                       PyObject* x) {
  Require(WantedGradients(call).empty());
  {
    const GilRelease release(*inputs[0]);
    RunInplace(*call.spec, inputs, call.attrs);
  }
  TensorOf(x).bump_inplace_version();
  Py_INCREF(x);
  return x;
}

PyObject* Serve(const DirectCall& call, const Inputs& inputs) {
  const std::vector<bool> wanted = WantedGradients(call);
  auto dense = std::make_shared<DenseTensor>();
  const Outputs outputs = {dense.get()};
  Tensor result(std::move(dense));
  {
    const GilRelease release(*inputs[0]);
    Run(*call.spec, inputs, call.attrs, outputs);
  }
  if (wanted.empty()) return paddle::pybind::ToPyObject(result);
  // An error here is one of a hook for saved Tensors, which the Python
  // function might not find again.
  return Guarded([&]() -> PyObject* {
    const std::vector<const Tensor*> from(call.tensors.begin(),
                                          call.tensors.end());
    RecordGradient(*call.spec, from, wanted, call.attrs, {&result});
    return paddle::pybind::ToPyObject(result);
  });
}

// f(arguments of the Python function): its result, or NotImplemented.
PyObject* CallDirect(PyObject* self,
                     PyObject* const* args,
                     Py_ssize_t count,
                     PyObject* names) {
  auto* api = static_cast<DirectApi*>(PyCapsule_GetPointer(self, nullptr));
  try {
    Require(IsPlainDygraph());
    const Bound bound = Bind(*api, args, count, names);
    const DirectCall call = Read(api, bound);
    Require(IsOurs(*call.spec, api->inplace));
    Inputs inputs;
    inputs.reserve(call.tensors.size());
    for (const Tensor* tensor : call.tensors) {
      inputs.push_back(static_cast<const DenseTensor*>(tensor->impl().get()));
    }
    return api->inplace ? ServeInplace(call, inputs, bound[0])
                        : Serve(call, inputs);
  } catch (...) {
    // NotServed, or an error that the Python function will find again.
    PyErr_Clear();
  }
  Py_RETURN_NOTIMPLEMENTED;
}

PyMethodDef kCallDirect =
    MethodOf("direct", CallDirect, METH_FASTCALL | METH_KEYWORDS);

Parameter ReadParameter(const py::tuple& words) {
  PyObject* name = words[0].cast<py::object>().release().ptr();
  PyUnicode_InternInPlace(&name);
  if (words.size() == 1) return {name, nullptr};
  return {name, words[1].cast<py::object>().release().ptr()};
}

}  // namespace

PyObject* MakeDirect(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    CheckCount("direct", count, 5);
    auto api = std::make_unique<DirectApi>(DirectApi{&SpecOf(args[0]),
                                                     args[1] == Py_True,
                                                     {},
                                                     Memo(args[3]),
                                                     Memo(args[4])});
    for (const py::handle words : py::handle(args[2]).cast<py::tuple>()) {
      api->parameters.push_back(ReadParameter(words.cast<py::tuple>()));
    }
    Require(api->parameters.size() <= kMaxParameters);
    const auto self = py::reinterpret_steal<py::object>(
        PyCapsule_New(api.release(), nullptr, nullptr));
    return PyCFunction_NewEx(&kCallDirect, self.ptr(), nullptr);
  });
}

}  // namespace native_ops

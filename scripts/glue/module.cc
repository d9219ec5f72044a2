// The CPython module paddle._native_lib: for each entry `<op>`, `<op>_` where
// it can work in place, and `meta_<op>`; for each operator `custom_attrs_<op>`.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <deque>

#include "paddle/phi/api/include/tensor.h"
#include "paddle/utils/pybind.h"
#include "py_convert.h"
#include "runtime.h"

namespace native_glue {

namespace {

class ReleaseGil {
 public:
  ReleaseGil() : state_(PyEval_SaveThread()) {}
  ~ReleaseGil() { PyEval_RestoreThread(state_); }
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;

 private:
  PyThreadState* state_;
};

const Entry& EntryOf(PyObject* self) {
  return *static_cast<const Entry*>(PyCapsule_GetPointer(self, nullptr));
}

paddle::Tensor& TensorOf(PyObject* object) {
  return reinterpret_cast<paddle::pybind::TensorObject*>(object)->tensor;
}

// False: not a dense CPU tensor, which is for the Python wrapper to handle.
bool ReadTensor(PyObject* object, const DenseTensor** out) {
  *out = nullptr;
  if (object == Py_None) return true;
  if (!paddle::pybind::PyCheckTensor(object)) return false;
  const auto& impl = TensorOf(object).impl();
  if (!impl) return true;
  if (!DenseTensor::classof(impl.get())) return false;
  *out = static_cast<const DenseTensor*>(impl.get());
  return !(*out)->has_allocation() ||
         (*out)->place().GetType() == phi::AllocationType::CPU;
}

void CheckCount(const Entry& entry, Py_ssize_t expected, Py_ssize_t received) {
  PADDLE_ENFORCE_EQ(received,
                    expected,
                    common::errors::InvalidType(
                        "(%s) takes %d arguments, but received %d.",
                        entry.name,
                        expected,
                        received));
}

// Reads tensors and attributes; false if a tensor is not for this path.
bool ReadCall(const Entry& entry, PyObject* const* args, Call* call) {
  const size_t tensors = entry.inputs.size();
  for (size_t i = 0; i < tensors; ++i) {
    if (!ReadTensor(args[i], &call->in[i])) return false;
  }
  for (size_t i = 0; i < entry.attrs.size(); ++i) {
    call->attrs[i] = ReadAttr(entry, entry.attrs[i], args[tensors + i]);
  }
  return true;
}

PyObject* Result(const std::array<std::shared_ptr<DenseTensor>, kMaxTensors>&
                     results,
                 size_t count) {
  const auto wrap = [](const std::shared_ptr<DenseTensor>& result) {
    if (result) return paddle::pybind::ToPyObject(paddle::Tensor(result));
    Py_INCREF(Py_None);
    return Py_None;
  };
  if (count == 1) return wrap(results[0]);
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; tuple && i < count; ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), wrap(results[i]));
  }
  return tuple;
}

// `<op>(tensors..., attrs...)`; a backward entry also takes the bits of the
// outputs that are wanted.
PyObject* RunEntry(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  try {
    const Entry& entry = EntryOf(self);
    const size_t given = entry.inputs.size() + entry.attrs.size();
    CheckCount(entry, given + entry.is_backward, count);
    Call call(entry);
    if (!ReadCall(entry, args, &call)) Py_RETURN_NOTIMPLEMENTED;
    const int64_t need =
        entry.is_backward ? ReadInt(entry.name, "need", args[given]) : -1;
    std::array<std::shared_ptr<DenseTensor>, kMaxTensors> results;
    for (size_t i = 0; i < entry.outputs.size(); ++i) {
      if (!((need >> i) & 1)) continue;
      results[i] = std::make_shared<DenseTensor>();
      call.out[i] = results[i].get();
    }
    if (need != 0) {
      ReleaseGil no_gil;
      PrepareInputs(&call);
      InferMeta(&call);
      RunKernel(&call);
    }
    return Result(results, entry.outputs.size());
  } catch (...) {
    return SetPythonError();
  }
}

// `<op>_(tensors..., attrs...)`: returns the tensor it wrote.
PyObject* RunEntryInplace(PyObject* self,
                          PyObject* const* args,
                          Py_ssize_t count) {
  try {
    const Entry& entry = EntryOf(self);
    CheckCount(entry, entry.inputs.size() + entry.attrs.size(), count);
    Call call(entry);
    if (!ReadCall(entry, args, &call)) Py_RETURN_NOTIMPLEMENTED;
    PyObject* target = args[entry.inplace_input];
    PADDLE_ENFORCE_NE(
        call.in[entry.inplace_input],
        static_cast<const DenseTensor*>(nullptr),
        common::errors::InvalidArgument(
            "(%s_) %s must be a Tensor, but received None.",
            entry.name,
            entry.inputs[entry.inplace_input].name));
    {
      ReleaseGil no_gil;
      RunInplace(&call,
                 const_cast<DenseTensor*>(call.in[entry.inplace_input]));
    }
    TensorOf(target).bump_inplace_version();
    Py_INCREF(target);
    return target;
  } catch (...) {
    return SetPythonError();
  }
}

DenseTensor MetaTensorOf(const std::vector<int64_t>& dims, int64_t dtype) {
  DenseTensor tensor;
  MetaTensor meta(&tensor);
  meta.set_dims(common::make_ddim(dims));
  meta.set_dtype(static_cast<phi::DataType>(dtype));
  return tensor;
}

PyObject* DimsList(const std::vector<DenseTensor>& outputs) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(outputs.size()));
  for (size_t i = 0; list && i < outputs.size(); ++i) {
    PyList_SET_ITEM(list,
                    static_cast<Py_ssize_t>(i),
                    IntList(common::vectorize<int64_t>(outputs[i].dims())));
  }
  return list;
}

// `meta_<op>(shapes, dtypes, attrs...)` -> shapes of the outputs. A shape may
// hold -1, and is None for a tensor that is not given. Static graphs need it:
// an exception in a custom operator's own shape inference ends the process.
PyObject* MetaEntry(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  try {
    const Entry& entry = EntryOf(self);
    const size_t inputs = entry.inputs.size();
    CheckCount(entry, 2 + entry.attrs.size(), count);
    Call call(entry);
    call.is_runtime = false;
    call.keep.reserve(inputs);
    CheckCount(entry, inputs, PySequence_Size(args[0]));
    CheckCount(entry, inputs, PySequence_Size(args[1]));
    const std::vector<int64_t> dtypes = ReadInts(entry.name, "dtypes", args[1]);
    for (size_t i = 0; i < inputs; ++i) {
      const PyRef shape(PySequence_GetItem(args[0], i));
      if (shape.get() == Py_None) continue;
      call.keep.push_back(MetaTensorOf(
          ReadInts(entry.name, entry.inputs[i].name, shape.get()), dtypes[i]));
      call.in[i] = &call.keep.back();
    }
    for (size_t i = 0; i < entry.attrs.size(); ++i) {
      call.attrs[i] = ReadAttr(entry, entry.attrs[i], args[2 + i]);
    }
    std::vector<DenseTensor> outputs(entry.outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) call.out[i] = &outputs[i];
    CheckKernel(&call);
    InferMeta(&call);
    return DimsList(outputs);
  } catch (...) {
    return SetPythonError();
  }
}

// `custom_attrs_<op>(zero_dims, attrs...)`: the values to give to the custom
// operator, in its order.
PyObject* CustomAttrsOf(PyObject* self,
                        PyObject* const* args,
                        Py_ssize_t count) {
  try {
    const Entry& entry = EntryOf(self);
    CheckCount(entry, 1 + entry.attrs.size(), count);
    const int64_t bits = ReadInt(entry.name, kZeroDims, args[0]);
    const AttrOrder order = CustomAttrOrder(entry);
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(order.at.size()));
    for (size_t i = 0; list && i < order.at.size(); ++i) {
      const int at = order.at[i];
      PyObject* value =
          at == kNone
              ? PyLong_FromLongLong(PackZeroDims(bits))
              : AttrObject(ReadAttr(entry, entry.attrs[at], args[1 + at]));
      PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), value);
    }
    return list;
  } catch (...) {
    return SetPythonError();
  }
}

// A Tensor with the dims and dtype of another, without its memory: what a
// gradient needs of an argument in `no_need_buffer`.
PyObject* MetaLike(PyObject* /*self*/, PyObject* object) {
  try {
    const DenseTensor* dense = nullptr;
    if (!ReadTensor(object, &dense) || dense == nullptr) {
      Py_INCREF(object);
      return object;
    }
    auto out = std::make_shared<DenseTensor>();
    MetaTensor meta(out.get());
    meta.set_dims(dense->dims());
    meta.set_dtype(dense->dtype());
    return paddle::pybind::ToPyObject(paddle::Tensor(out));
  } catch (...) {
    return SetPythonError();
  }
}

using FastFn = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);

void AddFunction(PyObject* module,
                 const Entry* entry,
                 const std::string& name,
                 FastFn fn) {
  // CPython keeps pointers to both, so they live as long as the process.
  static std::deque<std::string> names;
  static std::deque<PyMethodDef> methods;
  names.push_back(name);
  methods.push_back({names.back().c_str(),
                     reinterpret_cast<PyCFunction>(
                         reinterpret_cast<void (*)()>(fn)),
                     METH_FASTCALL,
                     nullptr});
  const PyRef self(
      PyCapsule_New(const_cast<Entry*>(entry), nullptr, nullptr));
  PyModule_AddObject(
      module, names.back().c_str(), PyCFunction_New(&methods.back(), self.get()));
}

void AddEntry(PyObject* module, const Entry* entry) {
  const std::string name = entry->name;
  AddFunction(module, entry, name, RunEntry);
  AddFunction(module, entry, "meta_" + name, MetaEntry);
  if (entry->inplace_input != kNone) {
    AddFunction(module, entry, name + "_", RunEntryInplace);
  }
  if (!entry->is_backward) {
    AddFunction(module, entry, "custom_attrs_" + name, CustomAttrsOf);
  }
}

PyMethodDef kMethods[] = {{"meta_like", MetaLike, METH_O, nullptr},
                          {nullptr, nullptr, 0, nullptr}};
PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                       "_native_lib",
                       nullptr,
                       -1,
                       kMethods,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

}  // namespace

}  // namespace native_glue

PyMODINIT_FUNC PyInit__native_lib() {
  PyObject* module = PyModule_Create(&native_glue::kModule);
  if (module == nullptr) return nullptr;
  for (const auto* entry : native_glue::Entries()) {
    native_glue::AddEntry(module, entry);
  }
  PyModule_AddStringConstant(
      module, "paddle_version", native_glue::kPaddleVersion);
  return module;
}

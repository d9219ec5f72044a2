// paddle._native_lib: a Python function for every operator, which runs its
// kernel on dense CPU Tensors without building a graph; what the Python
// wrapper needs besides; and the registration of the custom operators.

#include <memory>

#include "base_kernels.h"
#include "custom_ops.h"
#include "eager_abi.h"
#include "python_args.h"
#include "recording.h"

namespace native_ops {
namespace {

using paddle::Tensor;
using phi::DenseTensor;

// f(inputs..., attrs...): the result, or a tuple of them.
PyObject* CallOp(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec, count);
    Arguments arguments(spec, args);
    const size_t size = spec.outputs.size();
    std::vector<std::shared_ptr<DenseTensor>> tensors;
    Outputs outputs;
    for (size_t i = 0; i < size; ++i) {
      tensors.push_back(std::make_shared<DenseTensor>());
      outputs.push_back(tensors.back().get());
    }
    {
      py::gil_scoped_release release;
      Run(spec, arguments.inputs, arguments.attrs, outputs);
    }
    if (size == 1) return paddle::pybind::ToPyObject(Tensor(tensors[0]));
    PyObject* tuple = PyTuple_New(size);
    for (size_t i = 0; i < size; ++i) {
      PyTuple_SET_ITEM(
          tuple, i, paddle::pybind::ToPyObject(Tensor(tensors[i])));
    }
    return tuple;
  });
}

// f_(inputs..., attrs...): the same written into the in-place input, which
// must be contiguous and is returned; NotImplemented where it is not.
PyObject* CallInplace(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec, count);
    Arguments arguments(spec, args);
    PyObject* x = args[spec.inplace_input];
    if (arguments.inputs[spec.inplace_input] != TensorOf(x).impl().get()) {
      throw NotServed();
    }
    {
      py::gil_scoped_release release;
      RunInplace(spec, arguments.inputs, arguments.attrs);
    }
    TensorOf(x).bump_inplace_version();
    Py_INCREF(x);
    return x;
  });
}

// infer(shapes, dtypes, attrs...): the shapes of the outputs. Shapes may hold
// -1. Called before a static graph is built, where an exception out of C++
// would end the process.
PyObject* CallInfer(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    const auto shapes =
        py::reinterpret_borrow<py::object>(args[0]).cast<Shapes>();
    const auto dtypes =
        py::reinterpret_borrow<py::object>(args[1]).cast<std::vector<int>>();
    std::vector<DenseTensor> tensors;
    tensors.reserve(shapes.size());
    Inputs inputs;
    for (size_t i = 0; i < shapes.size(); ++i) {
      tensors.push_back(
          MetaOnly(shapes[i], static_cast<phi::DataType>(dtypes[i])));
      inputs.push_back(&tensors.back());
    }
    const Attrs attrs = ReadAttrs(spec, args + 2);
    py::list result;
    for (const DenseTensor& output : InferOutputs(spec, inputs, attrs)) {
      result.append(common::vectorize<int64_t>(output.dims()));
    }
    return result.release().ptr();
  });
}

// take_history(x, y): x becomes, for autograd, what y is.
PyObject* TakeHistory(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    if (count != 2 || !paddle::pybind::PyCheckTensor(args[0]) ||
        !paddle::pybind::PyCheckTensor(args[1])) {
      throw NotServed();
    }
    TensorOf(args[0]).set_autograd_meta(
        TensorOf(args[1]).mutable_autograd_meta());
    Py_RETURN_NONE;
  });
}

PyObject* BumpVersion(PyObject*, PyObject* object) {
  return Guarded([&]() -> PyObject* {
    if (!paddle::pybind::PyCheckTensor(object)) throw NotServed();
    TensorOf(object).bump_inplace_version();
    Py_RETURN_NONE;
  });
}

PyObject* RegisterCustomOps(PyObject*, PyObject*) {
  return Guarded([&]() -> PyObject* {
    RegisterWithFramework();
    Py_RETURN_NONE;
  });
}

PyObject* Admit(PyObject*, PyObject* name) {
  return Guarded([&]() -> PyObject* {
    AdmitToDygraph(py::reinterpret_borrow<py::str>(name));
    Py_RETURN_NONE;
  });
}

// taken_kernels(): {operator: dtypes} of the kernels that are ours in Paddle's
// registry.
PyObject* TakenKernelsOf(PyObject*, PyObject*) {
  return Guarded([&]() -> PyObject* {
    py::dict result;
    for (const TakenKernel& kernel : TakenKernels()) {
      result[py::str(kernel.name)] = kernel.dtypes;
    }
    return result.release().ptr();
  });
}

// kernel_misfit(name, as): why our kernels for the operator `as` can't be
// called as those of Paddle's operator `name`, or ''.
PyObject* KernelMisfit(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    if (count != 2) throw NotServed();
    const auto text = [&](int i) {
      return py::reinterpret_borrow<py::object>(args[i]).cast<std::string>();
    };
    return py::str(MisfitBetween(text(0), text(1))).release().ptr();
  });
}

PyMethodDef kCallOp = {
    "call", reinterpret_cast<PyCFunction>(CallOp), METH_FASTCALL, ""};
PyMethodDef kCallInplace = {
    "call_", reinterpret_cast<PyCFunction>(CallInplace), METH_FASTCALL, ""};
PyMethodDef kCallInfer = {
    "infer", reinterpret_cast<PyCFunction>(CallInfer), METH_FASTCALL, ""};
PyMethodDef kCallRecord = {
    "record", reinterpret_cast<PyCFunction>(CallRecord), METH_FASTCALL, ""};
PyMethodDef kCallEncode = {
    "encode", reinterpret_cast<PyCFunction>(CallEncode), METH_FASTCALL, ""};
PyMethodDef kFunctions[] = {
    {"admit", Admit, METH_O, ""},
    {"register_custom_ops", RegisterCustomOps, METH_NOARGS, ""},
    {"bump_version", BumpVersion, METH_O, ""},
    {"kernel_misfit",
     reinterpret_cast<PyCFunction>(KernelMisfit),
     METH_FASTCALL,
     ""},
    {"taken_kernels", TakenKernelsOf, METH_NOARGS, ""},
    {"take_history",
     reinterpret_cast<PyCFunction>(TakeHistory),
     METH_FASTCALL,
     ""},
    {}};
PyModuleDef kModule = {
    PyModuleDef_HEAD_INIT, "_native_lib", "", -1, kFunctions};

bool AddOp(PyObject* module, const OpSpec& spec) {
  PyObject* self = PyCapsule_New(const_cast<OpSpec*>(&spec), nullptr, nullptr);
  if (self == nullptr) return false;
  const auto add = [&](const std::string& name, PyMethodDef* def) {
    PyObject* function = PyCFunction_NewEx(def, self, nullptr);
    return PyModule_AddObject(module, name.c_str(), function) == 0;
  };
  const std::string name = spec.name;
  return add(name, &kCallOp) && add("infer_" + name, &kCallInfer) &&
         add("record_" + name, &kCallRecord) &&
         add("encode_" + name, &kCallEncode) &&
         (spec.inplace_input < 0 || add(name + "_", &kCallInplace));
}

}  // namespace
}  // namespace native_ops

namespace {

PyObject* Unfit(const std::string& reason) {
  PyErr_Format(PyExc_ImportError,
               "paddle._native_lib does not fit this Paddle: %s.",
               reason.c_str());
  return nullptr;
}

}  // namespace

PyMODINIT_FUNC PyInit__native_lib() {
  if (!native_ops::EagerAbiFits()) {
    return Unfit("a node of its backward graph is larger than expected");
  }
  const std::string misfit = native_ops::TakeOverBaseKernels();
  if (!misfit.empty()) return Unfit(misfit);
  PyObject* module = PyModule_Create(&native_ops::kModule);
  if (module == nullptr) return nullptr;
  for (const native_ops::OpSpec* spec : native_ops::BackwardOps()) {
    native_ops::AdoptGradientKernels(*spec);
  }
  PyModule_AddStringConstant(
      module, "paddle_version", native_ops::kPaddleVersion);
  for (const native_ops::OpSpec* spec : native_ops::ForwardOps()) {
    if (!native_ops::AddOp(module, *spec)) return nullptr;
  }
  return module;
}

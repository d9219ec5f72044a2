// paddle._native_lib: a Python function for every operator, which runs its
// kernel on dense CPU Tensors without building a graph; what the Python
// wrapper needs besides; and the registration of the custom operators.

#include <memory>

#include "distributed/callback_node.h"
#include "dygraph/auto_cast.h"
#include "dygraph/direct_calls.h"
#include "dygraph/dygraph_state.h"
#include "dygraph/grad_node.h"
#include "dygraph/number_check.h"
#include "dygraph/recording.h"
#include "kernels/base_kernels.h"
#include "kernels/instrumentation.h"
#include "memory/install.h"
#include "python/python_args.h"
#include "static/custom_ops.h"

namespace native_ops {
namespace {

using paddle::Tensor;
using phi::DenseTensor;

// f(inputs..., attrs...): the result, or a tuple of them.
PyObject* CallOp(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec, count);
    const Span span(spec.name, " dygraph", phi::TracerEventType::Operator);
    const CastArguments cast(spec, args, count);
    const Arguments arguments(spec, cast.get());
    const size_t size = spec.outputs.size();
    std::vector<Tensor> tensors;
    Outputs outputs;
    for (size_t i = 0; i < size; ++i) {
      auto dense = std::make_shared<DenseTensor>();
      outputs.push_back(dense.get());
      tensors.emplace_back(std::move(dense));
    }
    {
      py::gil_scoped_release release;
      Run(spec, arguments.inputs, arguments.attrs, outputs);
      ReportKernel(spec, arguments.inputs);
      for (const Tensor& tensor : tensors) CheckNumbers(spec, tensor);
    }
    if (size == 1) return paddle::pybind::ToPyObject(tensors[0]);
    PyObject* tuple = PyTuple_New(size);
    for (size_t i = 0; i < size; ++i) {
      PyTuple_SET_ITEM(tuple, i, paddle::pybind::ToPyObject(tensors[i]));
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
    const Span span(spec.name, "_ dygraph", phi::TracerEventType::Operator);
    const Arguments arguments(spec, args);
    arguments.CheckInplace(spec, args);
    PyObject* x = args[spec.inplace_input];
    {
      py::gil_scoped_release release;
      RunInplace(spec, arguments.inputs, arguments.attrs);
      ReportKernel(spec, arguments.inputs);
      CheckNumbers(spec, TensorOf(x), "_");
    }
    TensorOf(x).bump_inplace_version();
    Py_INCREF(x);
    return x;
  });
}

// A shape and the number of a dtype for each input.
void CheckMetas(const OpSpec& spec,
                const Shapes& shapes,
                const std::vector<int>& dtypes) {
  const size_t wanted = spec.inputs.size();
  if (shapes.size() != wanted || dtypes.size() != wanted) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) %d shapes and dtypes expected, but %d shapes and %d dtypes "
        "given.",
        spec.name,
        wanted,
        shapes.size(),
        dtypes.size()));
  }
  for (const int dtype : dtypes) {
    if (dtype < 0 || dtype >= static_cast<int>(kDtypes)) {
      PADDLE_THROW(common::errors::InvalidArgument(
          "(%s) the number of a dtype expected, but received %d.",
          spec.name,
          dtype));
    }
  }
}

// infer(shapes, dtypes, attrs...): the shapes of the outputs. Shapes may hold
// -1. Called before a static graph is built, where an exception out of C++
// would end the process.
PyObject* CallInfer(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec.name, count, 2 + spec.attrs.size());
    const auto shapes =
        py::reinterpret_borrow<py::object>(args[0]).cast<Shapes>();
    const auto dtypes =
        py::reinterpret_borrow<py::object>(args[1]).cast<std::vector<int>>();
    CheckMetas(spec, shapes, dtypes);
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

// take_history(x, y): x becomes the result that y is of the backward graph.
PyObject* TakeHistory(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    CheckCount("take_history", count, 2);
    Tensor& x = NeedTensor("take_history", args[0]);
    const auto node =
        egr::EagerUtils::grad_node(NeedTensor("take_history", args[1]));
    PADDLE_ENFORCE_NOT_NULL(
        node,
        common::errors::InvalidArgument(
            "(take_history) the second Tensor must be the result of a call "
            "whose gradient is recorded, but it is not."));
    Connect(&x, /*slot=*/0, node);
    Py_RETURN_NONE;
  });
}

PyObject* BumpVersion(PyObject*, PyObject* object) {
  return Guarded([&]() -> PyObject* {
    NeedTensor("bump_version", object).bump_inplace_version();
    Py_RETURN_NONE;
  });
}

PyObject* RegisterCustomOps(PyObject*, PyObject*) {
  return Guarded([&]() -> PyObject* {
    RegisterWithFramework();
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
    CheckCount("kernel_misfit", count, 2);
    const std::string name = NeedString("kernel_misfit", args[0]);
    const std::string as = NeedString("kernel_misfit", args[1]);
    return py::str(MisfitBetween(name, as)).release().ptr();
  });
}

PyMethodDef kCallOp = MethodOf("call", CallOp, METH_FASTCALL);
PyMethodDef kCallInplace = MethodOf("call_", CallInplace, METH_FASTCALL);
PyMethodDef kCallInfer = MethodOf("infer", CallInfer, METH_FASTCALL);
PyMethodDef kCallRecord = MethodOf("record", CallRecord, METH_FASTCALL);
PyMethodDef kCallEncode = MethodOf("encode", CallEncode, METH_FASTCALL);
PyMethodDef kCallGradient = MethodOf("gradient", CallGradient, METH_FASTCALL);
PyMethodDef kFunctions[] = {
    MethodOf("register_custom_ops", RegisterCustomOps, METH_NOARGS),
    MethodOf("bump_version", BumpVersion, METH_O),
    MethodOf("direct", MakeDirect, METH_FASTCALL),
    MethodOf("empty_cache", EmptyCache, METH_NOARGS),
    MethodOf("kernel_misfit", KernelMisfit, METH_FASTCALL),
    MethodOf("memory_usage", MemoryUsage, METH_NOARGS),
    MethodOf("record_callback", RecordCallback, METH_FASTCALL),
    MethodOf("taken_kernels", TakenKernelsOf, METH_NOARGS),
    MethodOf("take_history", TakeHistory, METH_FASTCALL),
    MethodOf("to_distributed", ToDistributed, METH_FASTCALL),
    MethodOf("watch_dygraph", WatchDygraph, METH_FASTCALL),
    {}};
PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                       "_native_lib",
                       "",
                       -1,
                       kFunctions,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

bool AddOp(PyObject* module, const OpSpec& spec) {
  PyObject* self = PyCapsule_New(const_cast<OpSpec*>(&spec), nullptr, nullptr);
  if (self == nullptr) return false;
  const auto add = [&](const std::string& name, PyMethodDef* def) {
    PyObject* function = PyCFunction_NewEx(def, self, nullptr);
    return PyModule_AddObject(module, name.c_str(), function) == 0;
  };
  const std::string name = spec.name;
  if (spec.is_backward) return add("gradient_" + name, &kCallGradient);
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
  PyModule_AddStringConstant(
      module, "paddle_version", native_ops::kPaddleVersion);
  for (const native_ops::OpSpec* spec : native_ops::AllOps()) {
    if (spec->is_backward && !spec->is_base)
      native_ops::AdoptGradientKernels(*spec);
    if (!native_ops::AddOp(module, *spec)) return nullptr;
  }
  native_ops::InstallCachingAllocator();
  return module;
}

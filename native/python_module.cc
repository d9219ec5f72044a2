// paddle._native_lib: Python functions for every operator, and what the Python
// in front of them needs besides.

#include "distributed/callback_node.h"
#include "dygraph/calls.h"
#include "dygraph/eager_abi.h"
#include "kernels/base_kernels.h"
#include "memory/cpu_allocator.h"
#include "python/python_args.h"
#include "static/graph_calls.h"

namespace native_ops {
namespace {

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

// kernel_misfit(name, as): see Misfit.
PyObject* KernelMisfit(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    CheckCount("kernel_misfit", count, 2);
    const std::string name = NeedString("kernel_misfit", args[0]);
    const std::string as = NeedString("kernel_misfit", args[1]);
    return py::str(Misfit(name, as)).release().ptr();
  });
}

PyMethodDef kCallOp = MethodOf("call", CallOp, METH_FASTCALL);
PyMethodDef kCallInplace = MethodOf("call_", CallInplace, METH_FASTCALL);
PyMethodDef kCallInfer = MethodOf("infer", CallInfer, METH_FASTCALL);
PyMethodDef kCallRecord = MethodOf("record", CallRecord, METH_FASTCALL);
PyMethodDef kCallEncode = MethodOf("encode", CallEncode, METH_FASTCALL);
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
  if (spec.is_backward) return true;
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

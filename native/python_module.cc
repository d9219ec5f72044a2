// paddle._native_lib: Python functions for every operator, and what the Python
// in front of them needs besides.

#include "distributed/callback_node.h"
#include "dygraph/calls.h"
#include "dygraph/eager_abi.h"
#include "kernels/base_kernels.h"
#include "memory/cpu_allocator.h"
#include "python/python_args.h"
#include "static/custom_ops.h"

namespace native_ops {
namespace {

// Calls that are to take as little time as they can are Python's C functions,
// all others pybind11's.
PyMethodDef kCall = MethodOf("call", CallOp, METH_FASTCALL);
PyMethodDef kCallInplace = MethodOf("call_", CallInplace, METH_FASTCALL);
PyMethodDef kCallRecord = MethodOf("record", CallRecord, METH_FASTCALL);
PyMethodDef kFunctions[] = {
    MethodOf("bump_version", BumpVersion, METH_O),
    MethodOf("direct", MakeDirect, METH_FASTCALL),
    MethodOf("take_history", TakeHistory, METH_FASTCALL),
    {}};

void AddOp(py::module_* module, const OpSpec& spec) {
  const py::capsule self(&spec);
  const auto add = [&](const std::string& name, PyMethodDef* def) {
    module->add_object(name.c_str(),
                       py::reinterpret_steal<py::object>(
                           PyCFunction_NewEx(def, self.ptr(), nullptr)));
  };
  const std::string name = spec.name;
  add(name, &kCall);
  if (spec.inplace_input >= 0) add(name + "_", &kCallInplace);
  add("record_" + name, &kCallRecord);
  module->def(("infer_" + name).c_str(),
              [&spec](const Shapes& shapes,
                      const std::vector<int>& dtypes,
                      const py::args& attrs) {
                return InferForPython(spec, shapes, dtypes, attrs);
              });
  module->def(("encode_" + name).c_str(), [&spec](const py::args& attrs) {
    return EncodeAttrs(spec, attrs);
  });
}

void TranslateError(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const PythonError&) {
  } catch (const common::enforce::EnforceNotMet& error) {
    SetPythonError(error);
  }
}

}  // namespace

PYBIND11_MODULE(_native_lib, module) {
  const std::string misfit =
      EagerAbiFits() ? TakeOverBaseKernels()
                     : "a node of its backward graph is larger than expected";
  if (!misfit.empty()) {
    throw py::import_error(
        "paddle._native_lib does not fit this Paddle: " + misfit + ".");
  }
  py::register_local_exception_translator(TranslateError);
  module.attr("paddle_version") = kPaddleVersion;
  for (const OpSpec* spec : AllOps()) {
    if (!spec->is_backward) {
      AddOp(&module, *spec);
    } else if (!spec->is_base) {
      HideGradientKernels(*spec);
    }
  }
  PyModule_AddFunctions(module.ptr(), kFunctions);
  module.def(
      "empty_cache", EmptyCache, py::call_guard<py::gil_scoped_release>());
  module.def("kernel_misfit", Misfit);
  module.def("memory_usage", MemoryUsage);
  module.def("record_callback", RecordCallback);
  module.def("register_custom_ops", RegisterCustomOps);
  module.def("taken_kernels", TakenKernels);
  module.def("to_distributed", ToDistributed);
  InstallCachingAllocator();
}

}  // namespace native_ops

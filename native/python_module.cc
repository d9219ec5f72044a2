// paddle._native_lib: Python functions for every operator, and what the Python
// in front of them needs besides.

#include "distributed/callback_node.h"
#include "dygraph/calls.h"
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
PyMethodDef kFunctions[] = {
    MethodOf("direct", MakeDirect, METH_FASTCALL),
    MethodOf("has_grad", AskMode<HasGrad>, METH_NOARGS),
    MethodOf("in_dygraph", AskMode<InDygraph>, METH_NOARGS),
    MethodOf("take_history", TakeHistory, METH_FASTCALL),
    {}};

// What Python knows of the entries.
void AddTables(const py::module_& module) {
  py::class_<InputSpec>(module, "Input")
      .def_readonly("name", &InputSpec::name)
      .def_readonly("optional", &InputSpec::optional)
      .def_readonly("needs_buffer", &InputSpec::needs_buffer)
      .def_property_readonly("source", [](const InputSpec& input) {
        constexpr const char* kKinds[] = {"", "input", "result", "gradient"};
        return std::make_pair(kKinds[input.from.kind], input.from.at);
      });
  py::class_<AttrSpec>(module, "Attr").def_readonly("name", &AttrSpec::name);
  py::class_<OutputSpec>(module, "Output")
      .def_readonly("name", &OutputSpec::name)
      .def_readonly("of", &OutputSpec::from);
  py::class_<OpSpec>(module, "Entry")
      .def_readonly("name", &OpSpec::name)
      .def_readonly("custom_op", &OpSpec::custom_op)
      .def_readonly("is_backward", &OpSpec::is_backward)
      .def_readonly("is_base", &OpSpec::is_base)
      .def_readonly("inplace_input", &OpSpec::inplace_input)
      .def_readonly("inputs", &OpSpec::inputs)
      .def_readonly("attrs", &OpSpec::attrs)
      .def_readonly("outputs", &OpSpec::outputs)
      .def_property_readonly(
          "gradient",
          [](const OpSpec& spec) {
            return spec.gradient == nullptr ? nullptr : &spec.gradient();
          },
          py::return_value_policy::reference)
      .def("infer", InferForPython)
      .def("encode", EncodeAttrs);
}

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
  TakeOverBaseKernels();
  py::register_local_exception_translator(TranslateError);
  module.attr("paddle_version") = kPaddleVersion;
  AddTables(module);
  module.attr("entries") =
      py::cast(AllOps(), py::return_value_policy::reference);
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
  module.def("memory_usage", MemoryUsage);
  module.def("record_callback", RecordCallback);
  module.def("register_custom_ops", RegisterCustomOps);
  module.def("taken_kernels", TakenKernels);
  module.def("to_distributed", ToDistributed);
  InstallCachingAllocator();
}

}  // namespace native_ops

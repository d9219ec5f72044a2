// paddle._native_lib: a Python function per operator, the operator tables, and
// helpers for paddle._native_*.

#include <list>
#include <string>
#include <utility>

#include "distributed/callback_node.h"
#include "dygraph/calls.h"
#include "dygraph/tracer.h"
#include "kernels/base_kernels.h"
#include "python/python_args.h"
#include "static/custom_ops.h"

namespace native_ops {
namespace {

void AddTables(const py::module_& module) {
  py::class_<InputSpec>(module, "Input")
      .def_readonly("name", &InputSpec::name)
      .def_readonly("optional", &InputSpec::optional)
      .def_readonly("needs_buffer", &InputSpec::needs_buffer)
      .def_property_readonly("source", [](const InputSpec& input) {
        constexpr const char* kKinds[] = {"", "input", "result", "gradient"};
        return std::make_pair(kKinds[input.source.kind], input.source.index);
      });
  py::class_<AttrSpec>(module, "Attr").def_readonly("name", &AttrSpec::name);
  py::class_<OutputSpec>(module, "Output")
      .def_readonly("name", &OutputSpec::name)
      .def_readonly("forward_input", &OutputSpec::forward_input);
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

using CFunction = PyObject* (*)(PyObject*, PyObject*, PyObject*);

// The cast goes through void (*)() to avoid -Wcast-function-type.
py::object MakeFunction(const std::string& name,
                        CFunction function,
                        const py::object& self) {
  // CPython keeps pointers to the definitions.
  static std::list<std::pair<std::string, PyMethodDef>> definitions;
  auto& [owned_name, def] = definitions.emplace_back(name, PyMethodDef());
  def = {owned_name.c_str(),
         reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
         METH_VARARGS | METH_KEYWORDS,
         ""};
  return py::reinterpret_steal<py::object>(
      PyCFunction_NewEx(&def, self.ptr(), nullptr));
}

// extend(name, function): wraps Paddle's function of an operator in CallBase.
py::object Extend(const std::string& name, const py::object& stock) {
  for (const OpSpec* spec : AllOps()) {
    const py::tuple self = py::make_tuple(py::capsule(spec), stock);
    if (name == spec->name) return MakeFunction(name, CallBase, self);
    if (name == std::string(spec->name) + "_") {
      return MakeFunction(name, CallBaseInplace, self);
    }
  }
  throw py::key_error(name);
}

void AddOp(py::module_* module, const OpSpec& spec) {
  const py::capsule self(&spec);
  const std::string name = spec.name;
  module->add_object(name.c_str(), MakeFunction(name, CallOp, self));
  if (spec.inplace_input < 0) return;
  const std::string inplace = name + "_";
  module->add_object(inplace.c_str(), MakeFunction(inplace, CallInplace, self));
}

void TranslateError(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const common::enforce::EnforceNotMet&) {
    paddle::pybind::ThrowExceptionToPython(thrown);
  }
}

}  // namespace

PYBIND11_MODULE(_native_lib, module) {
  OverridePaddleKernels();
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
  module.def("extend", Extend);
  module.def("has_grad", HasGrad);
  module.def("record_callback", RecordCallback);
  module.def("register_custom_ops", RegisterCustomOps);
  module.def("rebase_history", RebaseHistory);
  module.def("overridden_kernels", OverriddenKernels);
  module.def("to_distributed", ToDistributed);
}

}  // namespace native_ops

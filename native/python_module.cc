// paddle._native_lib: the operator tables, and functions for paddle._native_*.

#include <list>
#include <string>
#include <utility>

#include "distributed/callback_node.h"
#include "dygraph/calls.h"
#include "dygraph/grad_node.h"
#include "python/python_args.h"
#include "static/custom_ops.h"

namespace native_ops {
namespace {

// Returns a function of paddle._C_ops. `stock` is Paddle's function of the
// operator, or None.
py::object MakeFunction(const OpSpec& spec,
                        bool inplace,
                        const py::object& stock) {
  // CPython keeps pointers to the definitions.
  static std::list<std::pair<std::string, PyMethodDef>> definitions;
  auto& [name, def] = definitions.emplace_back(spec.name, PyMethodDef());
  if (inplace) name += "_";
  // The cast goes through void (*)() to avoid -Wcast-function-type.
  def = {name.c_str(),
         reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(CallOp)),
         METH_VARARGS | METH_KEYWORDS,
         ""};
  const py::tuple self = py::make_tuple(py::capsule(&spec), inplace, stock);
  return py::reinterpret_steal<py::object>(
      PyCFunction_NewEx(&def, self.ptr(), nullptr));
}

void AddTables(const py::module_& module) {
  py::class_<InputSpec>(module, "Input")
      .def_readonly("name", &InputSpec::name)
      .def_readonly("optional", &InputSpec::optional)
      .def_property_readonly("source", [](const InputSpec& input) {
        constexpr const char* kKinds[] = {"", "input", "result", "gradient"};
        return std::make_pair(kKinds[input.source.kind], input.source.index);
      });
  py::class_<AttrSpec>(module, "Attr").def_readonly("name", &AttrSpec::name);
  py::class_<OutputSpec>(module, "Output")
      .def_readonly("forward_input", &OutputSpec::forward_input);
  py::class_<OpSpec>(module, "Entry")
      .def_readonly("name", &OpSpec::name)
      .def_readonly("custom_op", &OpSpec::custom_op)
      .def_readonly("is_backward", &OpSpec::is_backward)
      .def_readonly("is_base", &OpSpec::is_base)
      .def_property_readonly("inplace_input", &OpSpec::inplace_input)
      .def_readonly("inputs", &OpSpec::inputs)
      .def_readonly("attrs", &OpSpec::attrs)
      .def_readonly("outputs", &OpSpec::outputs)
      .def_property_readonly(
          "gradient",
          [](const OpSpec& spec) {
            return spec.gradient == nullptr ? nullptr : &spec.gradient();
          },
          py::return_value_policy::reference)
      .def_property_readonly("reads_overwritten", ReadsOverwritten)
      .def("make_function", MakeFunction)
      .def("infer", InferForPython);
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
  py::register_local_exception_translator(TranslateError);
  module.attr("paddle_version") = kPaddleVersion;
  AddTables(module);
  module.attr("entries") =
      py::cast(AllOps(), py::return_value_policy::reference);
  for (const OpSpec* spec : AllOps()) {
    if (spec->is_backward && !spec->is_base) HideGradientKernels(*spec);
  }
  module.def("record_callback", RecordCallback);
}

}  // namespace native_ops

#include "dygraph/direct_calls.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dygraph/direct_arguments.h"
#include "dygraph/dygraph_state.h"
#include "dygraph/eager_abi.h"
#include "dygraph/grad_node.h"
#include "python/python_args.h"

namespace native_ops {

using paddle::Tensor;
using phi::DenseTensor;

namespace {

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

// For each input whether its gradient is to be recorded.
std::vector<bool> WantedGradients(const DirectCall& call) {
  std::vector<bool> wanted(call.tensors.size());
  bool any = false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = WantsGradient(*call.tensors[i]);
    any = any || wanted[i];
  }
  if (any && !HasGrad()) wanted.assign(wanted.size(), false);
  return wanted;
}

bool Any(const std::vector<bool>& wanted, const OpSpec& spec) {
  for (const OutputSpec& gradient : spec.gradient().outputs) {
    if (wanted[gradient.from]) return true;
  }
  return false;
}

PyObject* Serve(const DirectCall& call, PyObject* x) {
  const OpSpec& spec = *call.spec;
  if (!IsPlainDygraph(spec, call.inplace)) throw NotServed();
  Inputs inputs;
  inputs.reserve(call.tensors.size());
  for (const Tensor* tensor : call.tensors) {
    inputs.push_back(static_cast<const DenseTensor*>(tensor->impl().get()));
  }
  const std::vector<bool> wanted = WantedGradients(call);
  const bool records = Any(wanted, spec);
  if (call.inplace) {
    if (records) throw NotServed();
    const GilRelease release(*inputs[0]);
    RunInplace(spec, inputs, call.attrs);
  } else {
    auto dense = std::make_shared<DenseTensor>();
    const Outputs outputs = {dense.get()};
    Tensor result(std::move(dense));
    {
      const GilRelease release(*inputs[0]);
      Run(spec, inputs, call.attrs, outputs);
    }
    if (!records) return paddle::pybind::ToPyObject(result);
    // An error here is one of a hook for saved Tensors, which the Python
    // function might not find again.
    return Guarded([&]() -> PyObject* {
      const std::vector<const Tensor*> from(call.tensors.begin(),
                                            call.tensors.end());
      RecordGradient(spec, from, wanted, call.attrs, {&result});
      return paddle::pybind::ToPyObject(result);
    });
  }
  TensorOf(x).bump_inplace_version();
  Py_INCREF(x);
  return x;
}

const DirectApi& ApiOf(PyObject* self) {
  return *static_cast<const DirectApi*>(PyCapsule_GetPointer(self, nullptr));
}

// f(arguments of the Python function): its result, or NotImplemented.
PyObject* CallDirect(PyObject* self,
                     PyObject* const* args,
                     Py_ssize_t count,
                     PyObject* names) {
  try {
    const DirectApi& api = ApiOf(self);
    const Bound bound = Bind(api, args, count, names);
    return Serve(api.read(bound, api.inplace), bound[0]);
  } catch (...) {
    // NotServed, or an error that the Python function will find again.
    PyErr_Clear();
  }
  Py_RETURN_NOTIMPLEMENTED;
}

PyMethodDef kCallDirect =
    MethodOf("direct", CallDirect, METH_FASTCALL | METH_KEYWORDS);

}  // namespace

bool AddDirectCalls(PyObject* module) {
  for (const DirectApi& api : DirectApis()) {
    PyObject* self =
        PyCapsule_New(const_cast<DirectApi*>(&api), nullptr, nullptr);
    if (self == nullptr) return false;
    PyObject* function = PyCFunction_NewEx(&kCallDirect, self, nullptr);
    Py_DECREF(self);
    const std::string name = "direct_" + std::string(api.name);
    if (PyModule_AddObject(module, name.c_str(), function) != 0) return false;
  }
  return true;
}

}  // namespace native_ops

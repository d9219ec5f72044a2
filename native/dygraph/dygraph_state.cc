#include "dygraph/dygraph_state.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "dygraph/auto_cast.h"
#include "kernels/instrumentation.h"
#include "python/python_args.h"

// Exported by libpaddle.so; no header of the wheel declares it.
namespace paddle::imperative {

class __attribute__((visibility("default"))) Tracer {
 public:
  bool HasGrad() const;
};

// Null while static graphs are built.
__attribute__((visibility("default"))) const std::shared_ptr<Tracer>&
GetCurrentTracer();

}  // namespace paddle::imperative

namespace native_ops {

namespace {

// All guarded by the GIL; Python's module keeps the objects alive.
struct Watched {
  PyObject* framework_dict = nullptr;  // borrowed
  PyObject* c_ops_dict = nullptr;      // borrowed
  PyObject* api_dict = nullptr;        // borrowed
  // What it has as _has_scatter_kernels at first, the place that was asked
  // about last, and the answer.
  PyObject* has_kernels = nullptr;
  PyObject* place = nullptr;
  bool served = false;
};

Watched& State() {
  static Watched state;
  return state;
}

struct Operator {
  PyObject* name;
  PyObject* function;  // of paddle._C_ops at first
};

Operator MakeOperator(const OpSpec& spec, bool inplace) {
  const std::string name = std::string(spec.name) + (inplace ? "_" : "");
  PyObject* interned = PyUnicode_InternFromString(name.c_str());
  PyObject* function = PyDict_GetItem(State().c_ops_dict, interned);
  Py_XINCREF(function);
  return {interned, function};
}

// By entry, in place or not.
std::unordered_map<const OpSpec*, Operator>& Operators(bool inplace) {
  static std::unordered_map<const OpSpec*, Operator> plain;
  static std::unordered_map<const OpSpec*, Operator> into_x;
  return inplace ? into_x : plain;
}

void Watch(const OpSpec& spec) {
  for (const bool inplace : {false, true}) {
    Operators(inplace)[&spec] = MakeOperator(spec, inplace);
  }
}

bool PlaceIsServed() {
  static PyObject* const name =
      PyUnicode_InternFromString("_global_expected_place_");
  static PyObject* const asked =
      PyUnicode_InternFromString("_has_scatter_kernels");
  Watched& state = State();
  if (PyDict_GetItem(state.api_dict, asked) != state.has_kernels) return false;
  PyObject* place = PyDict_GetItem(state.framework_dict, name);
  if (place != nullptr && place == state.place) return state.served;
  PyObject* answer = PyObject_CallNoArgs(state.has_kernels);
  if (answer == nullptr) throw PythonError();
  state.served = PyObject_IsTrue(answer) == 1;
  Py_DECREF(answer);
  // has_kernels() may have found out what the place is.
  place = PyDict_GetItem(state.framework_dict, name);
  Py_XINCREF(place);
  Py_XDECREF(std::exchange(state.place, place));
  return state.served;
}

}  // namespace

bool IsPlainDygraph() {
  return paddle::imperative::GetCurrentTracer() != nullptr && !IsWatched() &&
         !CastsArguments() && PlaceIsServed();
}

bool IsOurs(const OpSpec& spec, bool inplace) {
  const auto found = Operators(inplace).find(&spec);
  if (found == Operators(inplace).end()) return false;
  const Operator& known = found->second;
  return known.function != nullptr &&
         PyDict_GetItem(State().c_ops_dict, known.name) == known.function;
}

bool HasGrad() {
  const auto& tracer = paddle::imperative::GetCurrentTracer();
  return tracer != nullptr && tracer->HasGrad();
}

PyObject* WatchDygraph(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    CheckCount("watch_dygraph", count, 3);
    Watched& state = State();
    state.framework_dict = PyModule_GetDict(args[0]);
    state.c_ops_dict = PyModule_GetDict(args[1]);
    state.api_dict = PyModule_GetDict(args[2]);
    state.has_kernels = PyObject_GetAttrString(args[2], "_has_scatter_kernels");
    if (state.has_kernels == nullptr) throw PythonError();
    for (const OpSpec* spec : AllOps()) {
      if (!spec->is_backward) Watch(*spec);
    }
    Py_RETURN_NONE;
  });
}

}  // namespace native_ops

#include "dygraph/direct_arguments.h"

#include <climits>
#include <cstring>
#include <string>
#include <utility>

#include "dygraph/fill_values.h"
#include "python/python_args.h"

namespace native_ops {

using paddle::Tensor;
using phi::DenseTensor;

namespace {

// A Tensor whose elements a kernel can read as they lie.
Tensor* Plain(PyObject* object) {
  const Tensor& tensor = CheckedTensor(object);
  if (!tensor.is_dense_tensor()) throw NotServed();
  const auto& dense = *static_cast<const DenseTensor*>(tensor.impl().get());
  if (!dense.initialized() ||
      dense.place().GetType() != phi::AllocationType::CPU ||
      !dense.meta().is_contiguous()) {
    throw NotServed();
  }
  return const_cast<Tensor*>(&tensor);
}

void Require(bool served) {
  if (!served) throw NotServed();
}

// An int and nothing that stands for one, or the default where none is given.
int64_t PlainInt(PyObject* object, int64_t otherwise) {
  if (object == nullptr) return otherwise;
  Require(PyLong_CheckExact(object));
  int overflow = 0;
  const int64_t found = PyLong_AsLongLongAndOverflow(object, &overflow);
  Require(overflow == 0);
  return found;
}

int PlainAxis(PyObject* object, int otherwise) {
  const int64_t found = PlainInt(object, otherwise);
  Require(found >= INT_MIN && found <= INT_MAX);
  return static_cast<int>(found);
}

bool PlainBool(PyObject* object, bool otherwise) {
  if (object == nullptr) return otherwise;
  Require(PyBool_Check(object));
  return object == Py_True;
}

const OpSpec& Generated(const char* name) {
  for (const OpSpec* spec : AllOps()) {
    if (std::strcmp(spec->name, name) == 0) return *spec;
  }
  throw NotServed();
}

DirectCall ReadMaskedScatter(const Bound& bound, bool inplace) {
  static const OpSpec& spec = Generated("masked_scatter");
  Tensor* x = Plain(bound[0]);
  Tensor* mask = Plain(bound[1]);
  Tensor* value = Plain(bound[2]);
  Require(mask->dtype() == phi::DataType::BOOL);
  Require(value->dtype() == x->dtype());
  return {&spec, inplace, {x, mask, value}, {}};
}

DirectCall ReadMaskedFill(const Bound& bound, bool inplace) {
  static const OpSpec& spec = Generated("masked_fill");
  Tensor* x = Plain(bound[0]);
  Tensor* mask = Plain(bound[1]);
  std::shared_ptr<Tensor> made;
  if (!paddle::pybind::PyCheckTensor(bound[2])) {
    made = FillValue(x->dtype(), bound[2]);
  }
  Tensor* value = made ? made.get() : Plain(bound[2]);
  Require(value->dtype() == x->dtype());
  Require(mask->dtype() == phi::DataType::BOOL);
  return {&spec, inplace, {x, mask, value}, {}, std::move(made)};
}

DirectCall ReadSelectScatter(const Bound& bound, bool inplace) {
  static const OpSpec& spec = Generated("select_scatter");
  Tensor* x = Plain(bound[0]);
  Tensor* values = Plain(bound[1]);
  Require(values->dtype() == x->dtype());
  return {&spec,
          inplace,
          {x, values},
          {PlainAxis(bound[2], 0), PlainInt(bound[3], 0)}};
}

DirectCall ReadDiagonalScatter(const Bound& bound, bool inplace) {
  static const OpSpec& spec = Generated("diagonal_scatter");
  return {
      &spec,
      inplace,
      {Plain(bound[0]), Plain(bound[1])},
      {PlainInt(bound[2], 0), PlainAxis(bound[3], 0), PlainAxis(bound[4], 1)}};
}

// How the operators call what `reduce` says.
const char* ReduceName(PyObject* object) {
  static const std::pair<PyObject*, const char*> names[] = {
      {PyUnicode_InternFromString("sum"), "sum"},
      {PyUnicode_InternFromString("add"), "sum"},
      {PyUnicode_InternFromString("mul"), "mul"},
      {PyUnicode_InternFromString("multiply"), "mul"},
      {PyUnicode_InternFromString("prod"), "mul"},
      {PyUnicode_InternFromString("mean"), "mean"},
      {PyUnicode_InternFromString("amax"), "amax"},
      {PyUnicode_InternFromString("amin"), "amin"},
  };
  if (object == nullptr) return "sum";
  for (const auto& [known, name] : names) {
    if (object == known) return name;
  }
  throw NotServed();
}

bool IsDefaultReduce(PyObject* object) {
  static PyObject* const sum = PyUnicode_InternFromString("sum");
  return object == nullptr || object == sum;
}

// As _scatter_op of the Python API chooses among the operators.
DirectCall ReadScatter(const Bound& bound, bool inplace) {
  static const OpSpec& scatter = Generated("scatter");
  static const OpSpec& index_reduce = Generated("index_reduce");
  static const OpSpec& index_scatter = Generated("index_scatter");
  std::vector<Tensor*> tensors = {
      Plain(bound[0]), Plain(bound[1]), Plain(bound[2])};
  const bool overwrite = PlainBool(bound[3], true);
  int axis = PlainAxis(bound[4], 0);
  const int rank = tensors[0]->dims().size();
  if (axis < 0 && axis >= -rank) axis += rank;
  std::string reduce = ReduceName(bound[5]);
  const bool include_self = PlainBool(bound[6], false);
  Require(bound[8] == nullptr || bound[8] == Py_None);  // out
  if (overwrite) {
    // "add" too is a warning then
    Require(IsDefaultReduce(bound[5]) && !include_self);
    reduce = "assign";
  }
  const bool is_linear = reduce == "assign" || reduce == "sum";
  if (axis == 0 && is_linear && !include_self) {
    return {&scatter, inplace, std::move(tensors), {overwrite}};
  }
  const bool reads_values = !is_linear && reduce != "mean";
  return {reads_values ? &index_reduce : &index_scatter,
          inplace,
          std::move(tensors),
          {axis, std::move(reduce), include_self}};
}

std::vector<PyObject*> Names(const std::vector<const char*>& names) {
  std::vector<PyObject*> found;
  for (const char* name : names) {
    found.push_back(PyUnicode_InternFromString(name));
  }
  return found;
}

}  // namespace

const std::vector<DirectApi>& DirectApis() {
  static const auto masked = Names({"x", "mask", "value", "name"});
  static const auto scatter = Names({"x",
                                     "index",
                                     "updates",
                                     "overwrite",
                                     "axis",
                                     "reduce",
                                     "include_self",
                                     "name",
                                     "out"});
  static const auto scatter_into_x =
      std::vector<PyObject*>(scatter.begin(), scatter.end() - 1);
  static const std::vector<DirectApi> all = {
      {"masked_scatter", false, 3, masked, ReadMaskedScatter},
      {"masked_scatter_", true, 3, masked, ReadMaskedScatter},
      {"masked_fill", false, 3, masked, ReadMaskedFill},
      {"masked_fill_", true, 3, masked, ReadMaskedFill},
      {"select_scatter",
       false,
       4,
       Names({"x", "values", "axis", "index", "name"}),
       ReadSelectScatter},
      {"diagonal_scatter",
       false,
       2,
       Names({"x", "y", "offset", "axis1", "axis2", "name"}),
       ReadDiagonalScatter},
      {"scatter", false, 3, scatter, ReadScatter},
      {"scatter_", true, 3, scatter_into_x, ReadScatter},
  };
  return all;
}

namespace {

// Where a parameter stands; names in calls are interned, as nearly all are.
size_t PositionOf(const DirectApi& api, PyObject* name) {
  for (size_t i = 0; i < api.parameters.size(); ++i) {
    if (api.parameters[i] == name) return i;
  }
  throw NotServed();
}

}  // namespace

Bound Bind(const DirectApi& api,
           PyObject* const* args,
           Py_ssize_t count,
           PyObject* names) {
  Require(count <= static_cast<Py_ssize_t>(api.parameters.size()));
  Bound bound{};
  for (Py_ssize_t i = 0; i < count; ++i) bound[i] = args[i];
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject*& place = bound[PositionOf(api, PyTuple_GET_ITEM(names, i))];
    Require(place == nullptr);
    place = args[count + i];
  }
  for (size_t i = 0; i < api.required; ++i) Require(bound[i] != nullptr);
  return bound;
}

}  // namespace native_ops

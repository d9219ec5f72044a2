#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "custom_attrs.h"
#include "custom_ops.h"

// What the Python function load_op_meta_info_and_register_op calls, one after
// the other. libpaddle.so exports them, but no header declares them.
using OpMetaInfos =
    std::unordered_map<std::string, std::vector<paddle::OpMetaInfo>>;

namespace paddle::framework {
OpMetaInfos RegisterOperatorWithMetaInfoMap(const OpMetaInfoMap& map,
                                            void* library);
}  // namespace paddle::framework

namespace egr {
class Controller {
 public:
  static Controller& Instance();
  void MergeOpMetaInfoMap(const OpMetaInfos& map);
};
}  // namespace egr

namespace native_ops {

void RegisterCustom(const OpSpec& forward,
                    const OpSpec& spec,
                    size_t order,
                    const CustomFunctions& functions) {
  std::vector<std::string> inputs;
  for (const InputSpec& input : spec.inputs) {
    inputs.push_back(input.custom_name);
  }
  std::vector<std::string> outputs;
  for (const OutputSpec& output : spec.outputs) {
    outputs.push_back(output.custom_name);
  }
  for (const char* extra : spec.extra_outputs) outputs.push_back(extra);
  paddle::OpMetaInfoBuilder(forward.name, order)
      .Inputs(std::move(inputs))
      .Outputs(std::move(outputs))
      .Attrs(DeclaredAttrs(forward))
      .SetKernelFn(functions.kernel)
      .SetInferShapeFn(functions.shape)
      .SetInferDtypeFn(functions.dtype)
      .SetInferSpmdFn(functions.spmd);
}

void RegisterWithFramework() {
  paddle::framework::RegisterOperatorWithMetaInfoMap(
      paddle::OpMetaInfoMap::Instance(), nullptr);
}

void AdmitToDygraph(const std::string& name) {
  static std::unordered_set<std::string> admitted;
  if (!admitted.insert(name).second) return;
  const auto& all = paddle::OpMetaInfoMap::Instance().GetMap();
  egr::Controller::Instance().MergeOpMetaInfoMap({{name, all.at(name)}});
}

}  // namespace native_ops

"""Toy headers and a toy function of a symbolic shape."""

import hashlib

from scripts.series.symbolic_shape_edits import FOLDER

HEADER = f"""\
#pragma once
#include "{FOLDER}toy.h"

namespace paddle::dialect {{

OP_DECLARE_INFER_SYMBOLIC_SHAPE(Abs)
OP_DECLARE_INFER_SYMBOLIC_SHAPE(Fancy)
OP_DECLARE_INFER_SYMBOLIC_SHAPE(Floor)
OP_DECLARE_INFER_SYMBOLIC_SHAPE(Zeta)

}}  // namespace paddle::dialect
"""
TOY = """\
#pragma once
namespace pir {
class Operation;
class InferSymbolicShapeContext;
}
#define OP_DECLARE_INFER_SYMBOLIC_SHAPE(name) \\
  bool name##OpInferSymbolicShape(            \\
      pir::Operation* op, pir::InferSymbolicShapeContext* infer_context);
"""
INCLUDE = {
    'paddle/phi/core/meta_tensor.h': (
        '#pragma once\n#define PADDLE_API\n'
        'namespace phi { class MetaTensor {}; }\n'
    ),
    f'{FOLDER}toy.h': TOY,
    f'{FOLDER}infer_symbolic_shape.h': (
        f'#pragma once\n#include "{FOLDER}unary_infer_sym.h"\n'
    ),
}
SOURCE = f"""\
#include "{FOLDER}unary_infer_sym.h"

namespace paddle::dialect {{

bool FillOpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {{
  return true;
}}

}}  // namespace paddle::dialect
"""


def add_header(series, path):
    """Puts the toy header among the wheel's files of a manifest."""
    series['wheel_files'][path] = {
        'path': f'paddle/include/{path}',
        'sha256': hashlib.sha256(HEADER.encode()).hexdigest(),
    }

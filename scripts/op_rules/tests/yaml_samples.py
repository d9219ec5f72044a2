"""A YAML file without a fault, and faults planted into it."""

FORWARD = '''\
- op : tuck
  args : (Tensor x, Tensor mask, Tensor parts, float by, int axis=0, bool flag = true)
  output : Tensor (out)
  infer_meta :
    func : TuckInferMeta
    param : [x, mask, axis]
  kernel :
    func : tuck
    param : [x, mask, parts, by, axis]
    data_type : x
  inplace : (x -> out)
  backward : tuck_grad
  interfaces : paddle::dialect::InferSymbolicShapeInterface
'''
DOUBLE = '''\
- backward_op : tuck_double_grad
  forward : tuck_grad (Tensor x, Tensor mask, Tensor grad_out, float by, int axis) -> Tensor(grad_x)
  args : (Tensor mask, Tensor grad_out, Tensor grad_x_grad, int axis)
  output : Tensor(grad_out_grad)
  infer_meta :
    func : UnchangedInferMeta
    param : [grad_out]
  kernel :
    func : tuck_double_grad
    data_type : grad_out
  optional : grad_x_grad
'''
GRAD = '''\
- backward_op : tuck_grad
  forward : tuck (Tensor x, Tensor mask, Tensor parts, float by, int axis=0, bool flag=true) -> Tensor(out)
  args : (Tensor x, Tensor mask, Tensor out_grad, float by, int axis)
  output : Tensor(x_grad)
  infer_meta :
    func : UnchangedInferMeta
    param : [x]
  kernel :
    func : tuck_grad
    data_type : out_grad
  inplace : (out_grad -> x_grad)
  backward : tuck_double_grad
  no_need_buffer : x
'''
GOOD = f'{FORWARD}\n{DOUBLE}\n{GRAD}'


def planted(old, new):
    """GOOD with another text in one place."""
    assert GOOD.count(old) >= 1, f'the sample no longer holds `{old}`'
    return GOOD.replace(old, new, 1)


def line_of(text, entry):
    """The line on which an entry begins."""
    heads = (f'- op : {entry}', f'- backward_op : {entry}')
    lines = text.splitlines()
    return 1 + next(i for i, line in enumerate(lines) if line in heads)


def write(folder, text, name='tuck.yaml'):
    (folder / name).write_text(text, encoding='utf-8')
    return folder

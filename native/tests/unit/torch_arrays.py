"""Arrays in storage form (see fuzz.arrays) as Tensors of PyTorch."""

import numpy as np
import torch


def to_torch(array, requires_grad=False):
    array = np.array(array, order='C')
    if array.dtype == np.uint16:
        tensor = torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    else:
        tensor = torch.from_numpy(array)
    return tensor.requires_grad_(requires_grad)


def from_torch(tensor):
    tensor = tensor.detach().resolve_conj()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(np.uint16)
    return tensor.numpy()

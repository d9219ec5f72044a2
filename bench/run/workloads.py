"""Calls that models make, by name, with the sizes that they have there."""

from dataclasses import dataclass, field

from bench.run.cases import case

FLOATS = ('float32', 'bfloat16')


@dataclass(frozen=True)
class Workload:
    """`source` says where the shape and the share of Trues come from."""

    name: str
    source: str
    op: str
    shape: tuple
    params: dict = field(default_factory=dict)
    modes: tuple = ('fwd', 'step')
    dtypes: tuple = FLOATS

    def cases(self):
        """The cases; quick are the forward ones of float32."""
        return [
            case(
                self.op,
                mode,
                dtype,
                self.shape,
                quick=(mode, dtype) == (self.modes[0], 'float32'),
                workload=self.name,
                **self.params,
            )
            for dtype in self.dtypes
            for mode in self.modes
        ]


WORKLOADS = (
    Workload(
        'vision-language merge',
        'LLaVA-1.5-7B: 576 image tokens of 2,048, hidden size 4,096',
        'masked_scatter',
        (1, 2048, 4096),
        {'mask': 'row', 'density': 0.28, 'layout': 'runs'},
    ),
    Workload(
        'attention mask',
        'Llama-2-7B: 32 heads, a prompt of 1,024; half is masked',
        'masked_fill',
        (1, 32, 1024, 1024),
        {'mask': 'plane', 'layout': 'runs'},
    ),
    Workload(
        'padding mask',
        'BERT-base: 32 sentences of 512, hidden size 768, a quarter padding',
        'masked_fill',
        (32, 512, 768),
        {'mask': 'row', 'density': 0.25, 'layout': 'runs'},
    ),
    Workload(
        'constrained decoding',
        'Qwen2: 32 sequences, 151,936 words, nearly all of them forbidden',
        'masked_fill',
        (32, 151936),
        {'density': 0.99},
        modes=('fwd', 'inplace'),
    ),
    Workload(
        'graph mean',
        'GraphSAGE on PubMed: 19,717 nodes, 88,648 edges, 500 features',
        'scatter',
        (19717, 500),
        {'reduce': 'mean', 'updates': 88648},
    ),
    Workload(
        'graph sum',
        'GIN on PubMed: the neighbours are added to the node',
        'scatter',
        (19717, 500),
        {'reduce': 'sum', 'include_self': True, 'updates': 88648},
    ),
    Workload(
        'point cloud max',
        'PointPillars: 12,000 pillars of 64 features, 120,000 points',
        'scatter',
        (12000, 64),
        {'reduce': 'amax', 'updates': 120000},
    ),
    Workload(
        'histogram',
        'Criteo: a column of 4 million values hashed into 1 million slots',
        'scatter',
        (1000000,),
        {'reduce': 'sum', 'include_self': True, 'updates': 4000000},
        modes=('fwd',),
        dtypes=('float32',),  # bfloat16 counts to 256
    ),
    Workload(
        'embedding update',
        'GPT-2 small: 50,257 words of 768, a batch of 8 x 1,024 tokens',
        'scatter',
        (50257, 768),
        {'reduce': 'sum', 'include_self': True, 'updates': 8192},
        modes=('inplace', 'fwd'),
    ),
    Workload(
        'cache row',
        'Llama-2-7B: one position of 4,096 for 32 heads of 128',
        'select_scatter',
        (32, 4096, 128),
        {'axis': 1},
    ),
    Workload(
        'paged cache rows',
        'vLLM: 16,384 slots of 4,096, one row for each of 32 sequences',
        'scatter',
        (16384, 4096),
        {'updates': 32, 'index': 'permutation'},
        modes=('inplace',),
    ),
    Workload(
        'expert dispatch',
        'Mixtral-8x7B: 2,048 token-expert pairs of 4,096, grouped by expert',
        'scatter',
        (2048, 4096),
        {'index': 'permutation'},
    ),
    Workload(
        'expert combine',
        'Mixtral-8x7B: 1,024 tokens of 4,096, each from two experts',
        'scatter',
        (1024, 4096),
        {'reduce': 'sum', 'include_self': True, 'updates': 2048},
    ),
    Workload(
        'label smoothing',
        'ImageNet: the diagonal of a 1,000 x 1,000 matrix of classes',
        'diagonal_scatter',
        (1000, 1000),
    ),
    Workload(
        'covariance jitter',
        'a Gaussian process: the diagonals of 64 matrices of 128 x 128',
        'diagonal_scatter',
        (64, 128, 128),
        {'axis1': 1, 'axis2': 2},
        dtypes=('float32',),
    ),
)


def workload_cases():
    """All cases of all workloads."""
    return [one for workload in WORKLOADS for one in workload.cases()]

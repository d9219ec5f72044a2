"""The benchmark cases: operators at four sizes, and calls of models."""

from dataclasses import dataclass, replace

MAIN_SIZE = (2048, 2048)
TINY = (8, 8)
OTHER_SIZES = TINY, (256, 256), (4096, 4096)
FORWARD, BACKWARD, IN_PLACE = 'forward', 'forward + backward', 'in place'
C_FUNCTION = '_C_ops'  # forward, without the Python function


@dataclass(frozen=True)
class Case:
    """One call. The fields after `dtype` apply to some operators only."""

    label: str
    op: str
    shape: tuple = MAIN_SIZE
    mode: str = FORWARD
    dtype: str = 'float32'  # or 'bfloat16'
    mask: str = 'full'  # or 'row' (x[..., :1]), 'plane' (the last two axes)
    density: float = 0.5
    run_length: int = 1  # number of equal consecutive mask elements
    axis: int = 0
    axis2: int = 1
    reduce: str = 'assign'
    include_self: bool = False
    updates: int = None  # slices of updates; None: the size of the axis
    index: str = 'random'  # or 'permutation', which repeats no entry

    @property
    def key(self):
        """The values of the CSV columns that identify the case."""
        shape = 'x'.join(map(str, self.shape))
        return self.label, self.mode, self.dtype, shape

    def __str__(self):
        return '/'.join(self.key)

    @property
    def has_ambiguous_result(self):
        """Whether PyTorch leaves undefined which of several updates remains."""
        unique = self.index == 'permutation' or self.op != 'scatter'
        return self.reduce == 'assign' and not unique


OPERATORS = (
    Case('masked_scatter', 'masked_scatter'),
    Case('masked_fill', 'masked_fill'),
    Case('select_scatter', 'select_scatter'),
    Case('select_scatter, axis 1', 'select_scatter', axis=1),
    Case('diagonal_scatter', 'diagonal_scatter'),
    Case('scatter', 'scatter'),
    Case('scatter, sum', 'scatter', reduce='sum'),
    Case('scatter, sum, axis 1', 'scatter', reduce='sum', axis=1),
    Case('scatter, amax', 'scatter', reduce='amax'),
    Case('scatter, amax, axis 1', 'scatter', reduce='amax', axis=1),
)
MODELS = (  # with the sources of their sizes
    Case('vision-language merge', 'masked_scatter', (1, 2048, 4096),
         mask='row', density=0.28, run_length=256),  # LLaVA-1.5-7B
    Case('attention mask', 'masked_fill', (1, 32, 1024, 1024),
         mask='plane', run_length=256),  # Llama-2-7B, prefill
    Case('padding mask', 'masked_fill', (32, 512, 768),
         mask='row', density=0.25, run_length=256),  # BERT-base
    Case('constrained decoding', 'masked_fill', (32, 151936),
         density=0.99),  # Qwen2's vocabulary
    Case('graph mean', 'scatter', (19717, 500),
         reduce='mean', updates=88648),  # GraphSAGE on PubMed
    Case('graph sum', 'scatter', (19717, 500),
         reduce='sum', include_self=True, updates=88648),  # GIN on PubMed
    Case('point cloud max', 'scatter', (12000, 64),
         reduce='amax', updates=120000),  # PointPillars
    Case('histogram', 'scatter', (1000000,),
         reduce='sum', include_self=True, updates=4000000),  # Criteo
    Case('embedding update', 'scatter', (50257, 768), IN_PLACE,
         reduce='sum', include_self=True, updates=8192),  # GPT-2 small
    Case('cache row', 'select_scatter', (32, 4096, 128),
         axis=1),  # Llama-2-7B, one position
    Case('paged cache rows', 'scatter', (16384, 4096), IN_PLACE,
         updates=32, index='permutation'),  # vLLM, 32 sequences
    Case('expert dispatch', 'scatter', (2048, 4096),
         index='permutation'),  # Mixtral-8x7B
    Case('expert combine', 'scatter', (1024, 4096),
         reduce='sum', include_self=True, updates=2048),  # Mixtral-8x7B
    Case('label smoothing', 'diagonal_scatter', (1000, 1000)),  # ImageNet
    Case('covariance jitter', 'diagonal_scatter', (64, 128, 128),
         axis=1, axis2=2),  # a Gaussian process
)  # fmt: skip


def list_cases():
    """Return every case once."""
    cases = []
    for case in OPERATORS:
        sizes = [replace(case, shape=size) for size in OTHER_SIZES]
        cases += [case, *sizes, replace(case, mode=BACKWARD)]
        cases.append(replace(case, mode=C_FUNCTION, shape=TINY))
        if case.op in ('masked_scatter', 'masked_fill', 'scatter'):
            cases.append(replace(case, mode=IN_PLACE))
    for case in MODELS:
        cases.append(case)
        if case.label != 'histogram':  # bfloat16 counts exactly to 256 only
            cases.append(replace(case, dtype='bfloat16'))
    return cases

"""Random calls of the masked and scatter APIs against a numpy reference.

A case follows from a seed, a number and the API. Cases run in a worker process,
so that a crash is one more finding.
"""

import sys
from pathlib import Path

# The arrays, dtypes and references of the tests are used here too.
_UNITTESTS = str(Path(__file__).resolve().parents[1] / 'unittests')
if _UNITTESTS not in sys.path:
    sys.path.insert(0, _UNITTESTS)

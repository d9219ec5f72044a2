"""Tests and benchmarks of the GPU kernels, without Paddle."""

import sys
from pathlib import Path

# For the modules that are shared with the tools.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

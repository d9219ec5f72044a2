"""Benchmarks of the operators against released Paddle, PyTorch and memory."""

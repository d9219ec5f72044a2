"""Tests and benchmarks of the GPU kernels, without Paddle."""

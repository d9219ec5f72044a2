"""Compiles the GPU kernels against the headers of the Paddle wheel."""

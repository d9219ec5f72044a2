"""Check that the GPU kernels compile against the headers of the Paddle wheel."""

"""The runtime of the wheel target, and the generator of its glue."""

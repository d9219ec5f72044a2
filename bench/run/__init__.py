"""Runs the cases: inputs, sides, worker processes, times."""

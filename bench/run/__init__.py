"""Runs cases: inputs, one process per side, times."""

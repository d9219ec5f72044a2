"""The wheel's runtime and the generator of its operator tables."""

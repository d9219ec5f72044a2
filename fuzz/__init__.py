"""Random calls of the masked and scatter APIs against a numpy reference."""

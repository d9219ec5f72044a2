"""Random calls of the masked and scatter APIs against a numpy reference.

A seed, a number and the API determine a case. Other tests import the references.
"""

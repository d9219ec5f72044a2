"""Random calls of the masked and scatter APIs against a numpy reference.

A seed, a number and the API determine a case. Cases run in a worker process, so
that a crash is reported like a wrong result. Other tests import the references.
"""

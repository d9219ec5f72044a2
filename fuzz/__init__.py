"""Random calls of the masked and scatter APIs against a numpy reference.

A case follows from a seed, a number and the API. Cases run in a worker process,
so that a crash is one more finding. The project's other tests use the dtypes, arrays
and references too.
"""

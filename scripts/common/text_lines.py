"""Text to lines and back. Only a newline ends a line.

str.splitlines would also split at form feeds and other separators, which git and
Python's ast count as part of a line.
"""


def split_lines(text):
    """Lines of a text that ends with a newline."""
    return text.removesuffix('\n').split('\n')


def join_lines(lines):
    return '\n'.join(lines) + '\n'


def between(text, start, end, new, name):
    """The text with other lines between two marks that it has once each."""
    if text.count(start) != 1 or text.count(end) != 1:
        raise ValueError(f'{name}: expected once each: {start} and {end}')
    before, rest = text.split(start)
    return f'{before}{start}\n{new}\n{end}{rest.split(end)[1]}'

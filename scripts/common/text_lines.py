"""Generated sections of pages."""


def between(text, start, end, new, name):
    """The text with other lines between two marks that it has once each."""
    if text.count(start) != 1 or text.count(end) != 1:
        raise ValueError(f'{name}: expected once each: {start} and {end}')
    before, rest = text.split(start)
    return f'{before}{start}\n{new}\n{end}{rest.split(end)[1]}'

"""The results as text for a terminal."""

WIDTH = 72
# Share of the processors that others may use while a case is measured.
BUSY = 0.1
COLUMNS = ('ours', 'torch', 'release')
UNITS = ((1e3, 's', 1e-3), (1.0, 'ms', 1.0), (0.0, 'us', 1e3))


def duration(ms):
    """'1.23 ms' with three figures."""
    if ms is None:
        return '-'
    for least, unit, scale in UNITS:
        if ms >= least:
            return f'{ms * scale:.3g} {unit}'
    return '-'


def size(count):
    """'1.5 MiB' for bytes."""
    if count is None:
        return '-'
    for unit in ('B', 'KiB', 'MiB'):
        if abs(count) < 1024:
            return f'{count:.3g} {unit}'
        count /= 1024
    return f'{count:.3g} GiB'


def times(ratio):
    """'3.2x'."""
    return '-' if ratio is None else f'{ratio:.3g}x'


def percent(share):
    """'85%'."""
    return '-' if share is None else f'{share * 100:.0f}%'


def cell(entry):
    """A side's time, or why there is none."""
    if entry is None:
        return '-'
    if 'na' in entry:
        return 'n/a'
    if 'failed' in entry:
        return 'FAILED'
    return duration(entry['ms'])


def measured(result):
    """{side: milliseconds} of the sides that have been measured."""
    return {
        side: result['sides'][side]['ms']
        for side in COLUMNS
        if 'ms' in result['sides'].get(side, {})
    }


def way(result):
    """How torch was called, where it has several ways."""
    return result['sides'].get('torch', {}).get('way', '-')


def busy(result):
    """True if other programs took too much of the machine meanwhile."""
    return (result.get('others') or 0) > BUSY


def busy_lines(results):
    """A warning if the machine was not ours alone."""
    count = sum(busy(result) for result in results)
    if not count:
        return []
    return [
        '',
        f'WARNING: during {count} of {len(results)} cases other programs used '
        f'over {percent(BUSY)} of the processors (marked *).',
        'Their numbers are not to be trusted, those of 2 threads least.',
    ]


def header():
    """The first line of the table."""
    heads = ''.join(f'{name:>10}' for name in COLUMNS)
    ratios = f'{"xtorch":>8}{"xrelease":>9}'
    return f'{"case":<{WIDTH}}{"thr":>4}{heads}{ratios}  torch by'


def line(result):
    """One result."""
    start = f'{result["name"]:<{WIDTH}}{result["threads"]:>4}'
    if 'skipped' in result:
        return f'{start}  skipped: {result["skipped"]}'
    sides = result['sides']
    cells = ''.join(f'{cell(sides.get(name)):>10}' for name in COLUMNS)
    text = (
        f'{start}{cells}{times(result["ratio_torch"]):>8}'
        f'{times(result["ratio_release"]):>9}  {way(result):<15}'
        f'{"*" if busy(result) else ""}'
    )
    return text.rstrip()


def memory_lines(rows):
    """Peak memory beyond inputs and outputs."""
    if not rows:
        return []
    lines = ['', 'Peak memory beyond inputs and outputs']
    for row in rows:
        text = f'{row["name"]:<{WIDTH}}    '
        for side in COLUMNS:
            entry = row['sides'].get(side, {})
            shown = size(entry['bytes']) if 'bytes' in entry else 'n/a'
            text += f'{side:>10} {shown}'
        lines.append(text)
    return lines


def instruction_lines(counts):
    """Instructions of the hot loops."""
    if not counts:
        return []
    lines = ['', 'Instructions per float32 element, one thread (callgrind)']
    return lines + [
        f'{loop:<{WIDTH}}    {n:6.2f}' for loop, n in counts.items()
    ]


def floor_lines(rows, every=True):
    """Each floor with what was measured; without `every` only those."""
    lines = ['']
    verdicts = {True: 'pass', False: 'MISS', None: 'not measured'}
    for row in rows:
        if row['passed'] is None and not every:
            continue
        value = '' if row['value'] is None else f'{row["value"]:.3g}'
        mark = ' (busy machine)' if row.get('busy') else ''
        lines.append(
            f'{verdicts[row["passed"]]:<13}{value:>8}  {row["text"]}{mark}'
        )
    missed = sum(row['passed'] is False for row in rows)
    passed = sum(row['passed'] is True for row in rows)
    lines.append(f'{passed} floors passed, {missed} missed.')
    return lines


def summary_lines(summary):
    """Geometric means, and the cases that are slower."""
    lines = ['']
    for key, text in (
        ('torch', 'times torch'),
        ('release', 'times the release'),
    ):
        part = summary.get(key)
        if not part:
            continue
        lines.append(
            f'{part["geometric_mean"]:.3g} {text}: geometric mean of '
            f'{part["cases"]} cases; below its floor: {len(part["slower"])}'
        )
        for slow in part['slower'][:10]:
            lines.append(
                f'    {slow["ratio"]:.3g}  {slow["name"]}, '
                f'{slow["threads"]} threads'
            )
    return lines


def change_lines(changes):
    """What moved against an older run."""
    if not changes:
        return ['', 'Against the older run: nothing moved by over 10%.']
    lines = ['', 'Against the older run (factor on the ratio to torch)']
    for factor, old, new in changes:
        was = duration(old['sides'].get('ours', {}).get('ms'))
        now = duration(new['sides'].get('ours', {}).get('ms'))
        lines.append(
            f'{factor:>6.2f}x  {new["name"]}, {new["threads"]} threads: '
            f'{was} to {now}'
        )
    return lines

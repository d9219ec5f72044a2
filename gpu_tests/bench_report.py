"""The GPU benchmark's results as tables and files."""

import json
import re
from itertools import groupby

from bench.report.table import duration, percent, times

COLUMNS = (
    'elements', 'case', 'ours', 'GB/s', 'of a copy', 'PyTorch', 'ratio', 'goal',
)  # fmt: skip


def result_of(case, byte_count, milliseconds, agrees, goals):
    """A row: plain data for the JSON file."""
    ours = milliseconds['ours']
    row = {
        'name': case.name,
        'op': case.op,
        'dtype': case.dtype,
        'size': case.size,
        'details': dict(case.details),
        'bytes': byte_count,
        'ms': milliseconds,
        'agrees': agrees,
        'gb_per_s': byte_count / ours / 1e6,
        'of_copy': milliseconds['copy'] / ours,
        'ratio_torch': milliseconds['torch'] / ours,
    }
    row['goal'] = verdict(row, goals)
    return row


def verdict(row, goals):
    """'met' if all are, 'MISSED', or '' without a goal."""
    if not goals:
        return ''
    reached = {'copy': row['of_copy'], 'torch': row['ratio_torch']}
    met = all(reached[side] >= least for side, least in goals)
    return 'met' if met else 'MISSED'


def cells(row):
    """A row as texts."""
    details = ', '.join(f'{k} {v}' for k, v in row['details'].items())
    differs = ' DIFFERS' if row['agrees'] is False else ''
    return (
        f'2^{row["size"]}',
        details or '-',
        duration(row['ms']['ours']),
        f'{row["gb_per_s"]:.0f}',
        percent(row['of_copy']),
        duration(row['ms']['torch']),
        times(row['ratio_torch']) + differs,
        row['goal'],
    )


def summary(rows):
    """Lines that say how many goals were met, and which were not."""
    met = [row for row in rows if row['goal'] == 'met']
    missed = [row for row in rows if row['goal'] == 'MISSED']
    lines = [f'{len(met)} goals met, {len(missed)} missed.']
    lines += [f'- {row["name"]}: {" ".join(cells(row)[2:7])}' for row in missed]
    return lines


def markdown(facts, rows):
    """The whole report."""
    lines = [f'# GPU kernels on {facts["device"]}', '']
    lines += [f'- {key}: {value}' for key, value in facts.items()]
    lines += ['', *summary(rows)]
    for group, members in groupby(rows, lambda row: (row['op'], row['dtype'])):
        lines += [
            '',
            f'## {", ".join(group)}',
            '',
            f'| {" | ".join(COLUMNS)} |',
        ]
        lines += [f'|{" --- |" * len(COLUMNS)}']
        lines += [f'| {" | ".join(cells(row))} |' for row in members]
    return '\n'.join(lines) + '\n'


def slug(text):
    """A name for files: 'NVIDIA H200' as 'nvidia_h200'."""
    return re.sub(r'[^a-z0-9]+', '_', text.lower()).strip('_')


def write(folder, facts, rows):
    """Writes both files; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f'gpu_{slug(facts["device"])}_{facts["date"][:10]}'
    data = {'facts': facts, 'results': rows}
    paths = [folder / f'{stem}.json', folder / f'{stem}.md']
    paths[0].write_text(json.dumps(data, indent=1) + '\n', encoding='utf-8')
    paths[1].write_text(markdown(facts, rows), encoding='utf-8')
    return paths

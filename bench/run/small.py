"""What a call costs by itself: 8x8 tensors, and the import of paddle."""

import os
import subprocess

SMALL = [8, 8]
IMPORT = (
    'import time; start = time.perf_counter(); import paddle; '
    'print(time.perf_counter() - start)'
)


def import_ms(pythons, turns):
    """{side: least milliseconds of `import paddle`}, in turns.

    The least, since on a shared machine single imports differ by more than
    the difference looked for.
    """
    taken = {name: [] for name in ('ours', 'release') if name in pythons}
    env = {**os.environ, 'PYTHONWARNINGS': 'ignore', 'OMP_NUM_THREADS': '1'}
    for _ in range(turns + 1):
        for name, times in taken.items():
            done = subprocess.run(
                [str(pythons[name]), '-c', IMPORT],
                capture_output=True,
                text=True,
                env=env,
                check=True,
            )
            times.append(float(done.stdout.split()[-1]) * 1e3)
    # the first of each reads the files from disk
    return {name: min(times[1:]) for name, times in taken.items()}


def _yardsticks(results):
    return {
        (r['mode'], r['threads']): r['sides']
        for r in results
        if r['op'] == 'where'
    }


def overhead(results):
    """Rows: microseconds of each side, and those of its own `where`."""
    where = _yardsticks(results)
    rows = []
    for result in results:
        if result['shape'] != SMALL:
            continue
        base = where.get((result['mode'], result['threads']), {})
        row = {key: result[key] for key in ('op', 'mode', 'threads', 'dtype')}
        row['variant'] = result['variant']
        for name, entry in result['sides'].items():
            if 'ms' not in entry:
                continue
            row[name] = entry['ms'] * 1e3
            if base.get(name, {}).get('ms'):
                row[name + '_where'] = base[name]['ms'] * 1e3
        rows.append(row)
    return rows

"""The figures in the texts: taken from a run, written, and checked."""

import json

import pytest
from bench import __main__ as command
from bench.report import readme_table, table
from bench.run import runner
from bench.run.cases import all_cases, find


def result(
    label='masked_scatter', ours=2.0, torch=8.0, release=None, **changes
):
    """A result as the runner makes it, of two threads."""
    case = find(label)
    sides = {'ours': {'ms': ours}, 'torch': {'ms': torch}}
    sides['release'] = {'ms': release} if release else {'na': 'a reason'}
    ratios = {'ratio_torch': torch / ours}
    ratios['ratio_release'] = release and release / ours
    return {**runner.entry(2, case, sides=sides, **ratios), **changes}


def run_data(results, headers=(), page_fault_free=False):
    """A whole run as the command writes it."""
    meta = {**readme_table.load()['meta'], 'date': '2026-01-02T03:04:05'}
    kind = {'headers': headers, 'page_fault_free': page_fault_free}
    return {'meta': meta, **kind, 'results': results}


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A project folder with the texts of this one, whose record is empty."""
    record = readme_table.load()
    for path in readme_table.texts(record):
        copy = tmp_path / path.relative_to(readme_table.ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(readme_table, 'ROOT', tmp_path)
    empty = json.dumps({'meta': record['meta']})
    (tmp_path / readme_table.RECORD).write_text(empty)
    return tmp_path


def take(root, results, *options, **facts):
    """What a run does at its end."""
    run = root / 'run.json'
    run.write_text(json.dumps(run_data(results, **facts)))
    readme_table.main([str(run), *options])


def outdated():
    """The files that show other figures than the record has."""
    made = readme_table.texts(readme_table.load())
    return [p.name for p, text in made.items() if p.read_text() != text]


def test_texts_of_this_project_show_the_record():
    shown = readme_table.shown(readme_table.load())
    assert {*readme_table.FEW} <= {r['label'] for r in shown}
    assert outdated() == []


def test_a_run_is_written_into_every_text_unless_the_machine_was_busy(root):
    old = (root / 'README.md').read_text()
    alone = result(threads=1, ours=4.0, torch=2.0)
    run = [
        alone,
        result(release=500.0, bare=1.0),
        result('histogram', bare=1.0),
    ]
    with pytest.raises(SystemExit, match='run.json --busy'):
        take(root, [{**r, 'others': 0.6} for r in run])
    assert (root / 'README.md').read_text() == old
    assert 'results' not in readme_table.load()
    take(root, [{**r, 'others': 0.6} for r in run], '--busy')
    readme = (root / 'README.md').read_text()
    row = '| `masked_scatter` | 2 ms | 8 ms (4x) | 0.5x | 500 ms (250x) |'
    assert row in readme and '2026-01-02' in readme
    assert (
        readme.partition(readme_table.END)[2]
        == old.partition(readme_table.END)[2]
    )
    assert 'with one thread: masked_scatter forward (0.5x)' in readme
    row = '| 2 ms | 8 ms | - | 500 ms | 4x | 0.5x | 250x | 2x |'
    page = (root / 'docs/benchmark.md').read_text()
    assert f'| masked_scatter | forward {row}' in page
    briefs = root / 'docs/pull_requests'
    row = '| 4x | 4x (masked_scatter) | 0.5x | 0.5x (masked_scatter) |'
    assert row in (briefs / 'masked_scatter.md').read_text()
    assert row not in (briefs / 'scatter.md').read_text()
    # the one bar that would dwarf the others
    assert '>500 ms (cut off)<' in (root / 'docs/speed.svg').read_text()
    assert outdated() == []
    (root / 'README.md').write_text(readme.replace('8 ms', '9 ms'))
    assert outdated() == ['README.md']


def test_other_kinds_of_runs_are_kept_beside_the_figures(root):
    name = 'scatter, sum, axis 1'
    sides = {'ours': {'ms': 2.0}, 'without': {'ms': 2.2}}
    slow = result(name, sides=sides, ratio_without=1.1)
    take(root, [result()])
    take(root, [slow], headers=['lane_tile.h'])
    page_fault_free = [result(torch=6.0), result(threads=1, torch=5.0)]
    take(root, page_fault_free, page_fault_free=True)
    take(root, [result(ours=4.0)])
    said = (root / 'docs/benchmark.md').read_text()
    assert '`mask_avx2.h`: not measured yet.' in said
    assert f'| {name} | forward | float32 | 2 | 2 ms | 2.2 ms | 1.1x |' in said
    assert 'below 1.2 on all its cases: it does not pay' in said
    assert '| 4 ms | 8 ms | - | n/a | 2x | - | 3x |' in said
    assert '2x / 3x on the operators' in said
    assert 'with one thread - / 2.5x' in said


def test_text_below_the_table_says_what_was_lost_or_failed():
    before = [result(torch=20.0)]
    new = [result(bare=1.0, others=0.5), result('masked_fill', torch=1.0)]
    new[1]['sides']['release'] = {'failed': 'why'}
    said = table.after(run_data(new), before)
    name, other = (r['name'] for r in new)
    assert {
        f'- MISS 4 x torch, at least 5: {name}',
        '- MISS 1.41 x torch, at least 8: table, mean',
        f'- MISS 0.5 of the loop, as fast, at least 0.769: {name}',
        f'- 0.5x: {other}',
        '0 floors passed, 4 missed.',
        f'FAILED {other}, 2 threads, release: why',
    } <= set(said)
    assert 'WARNING: during 1 of 2' in '\n'.join(said)


def test_command_publishes_all_or_nothing(root, monkeypatch, capsys):
    assert command.main(['--list', '--publish']) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed == [case.name for case in all_cases() if case.shown]
    with pytest.raises(SystemExit, match='--publish measures all'):
        command.main(['--publish', '--group', 'tiny'])
    with pytest.raises(SystemExit, match='bench: no case matches; see --list'):
        command.main(['--filter', 'no such case'])
    failed = result()
    failed['sides']['torch'] = {'failed': 'differs from ours'}
    for run, written in ((failed, False), (result(), True)):
        data = run_data([run])
        monkeypatch.setattr(command, 'collect', lambda *_, data=data: data)
        options = ['--publish', '--json', str(root / 'run.json')]
        assert command.main(options) == (not written)
        assert ('results' in readme_table.load()) == written

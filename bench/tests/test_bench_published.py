"""The figures in the texts: taken from a run, written, and checked."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bench import __main__ as command
from bench.report import published, readme_table, speed_picture
from bench_samples import result, run_data

ROOT = Path(__file__).resolve().parents[2]
SVG = '{http://www.w3.org/2000/svg}'


def record(*results):
    return published.record(run_data(results))


@pytest.fixture
def root(tmp_path):
    """A project folder with the texts, and no figures in them."""
    marks = f'before\n{readme_table.START}\nold\n{readme_table.END}\nafter\n'
    names = readme_table.TEXTS.values()
    for name in ('README.md', 'docs/benchmark.md', *names):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(marks)
    return tmp_path


def take(root, results, *options):
    """What a run does at its end."""
    run = root / 'run.json'
    run.write_text(json.dumps(run_data(results)))
    readme_table.main([str(run), '--root', str(root), *options])


def test_texts_of_this_project_show_the_record():
    data = published.load(ROOT / published.RECORD)
    assert len(published.few(data)) == len(published.FEW)
    assert readme_table.outdated(data, ROOT) == []


def test_a_run_is_written_into_every_text(root):
    alone = result(threads=1, ours=4.0, torch=2.0)
    take(root, [alone, result(), result('masked_fill'), result('clone')])
    readme = (root / 'README.md').read_text()
    assert readme.startswith('before\n') and readme.endswith('\nafter\n')
    assert 'old' not in readme and '2026-01-02' in readme
    assert '| `masked_scatter` | 2 ms | 8 ms (4x) | 0.5x | n/a |' in readme
    slower = (
        'Slower than PyTorch with one thread: masked_scatter forward (0.5x)'
    )
    assert slower in readme
    row = '| masked_scatter | forward | 2 ms | 8 ms | - | n/a | 4x | 0.5x |'
    texts = root / 'docs/pull_requests'
    assert row in (root / 'docs/benchmark.md').read_text()
    brief = (
        '| forward | 4x | 4x (masked_scatter) | 0.5x | 0.5x (masked_scatter) |'
    )
    assert brief in (texts / 'masked_scatter.md').read_text()
    assert brief not in (texts / 'scatter.md').read_text()
    data = published.load(root / published.RECORD)
    assert readme_table.outdated(data, root) == []


def test_changed_figure_is_found(root):
    take(root, [result()])
    readme = root / 'README.md'
    readme.write_text(readme.read_text().replace('8 ms', '9 ms'))
    data = published.load(root / published.RECORD)
    assert readme_table.outdated(data, root) == ['README.md']
    readme_table.main(['--root', str(root)])
    assert readme_table.outdated(data, root) == []
    data['results'][0]['sides']['torch']['ms'] = 9.0
    assert speed_picture.shows((root / 'docs/speed.svg').read_text(), data) == 0


def test_busy_machine_changes_no_text(root):
    before = (root / 'README.md').read_text()
    with pytest.raises(SystemExit, match='run.json --busy'):
        take(root, [result(others=0.6)])
    assert (root / 'README.md').read_text() == before
    assert not (root / published.RECORD).exists()
    take(root, [result(others=0.6)], '--busy')
    assert (root / 'README.md').read_text() != before


def test_text_without_markers_is_named(root):
    take(root, [result()])
    (root / 'README.md').write_text('nothing')
    with pytest.raises(ValueError, match='README.md: expected once each'):
        take(root, [result()])


def test_picture_cuts_the_one_bar_that_would_dwarf_the_others():
    scatter, fill = result(), result('masked_fill', ours=3.0)
    scatter['sides']['release'] = {'ms': 500.0}
    svg = speed_picture.draw(record(scatter, fill))
    texts = [
        ''.join(node.itertext())
        for node in ElementTree.fromstring(svg).iter(f'{SVG}text')
    ]
    for text in ('500 ms', '8 ms', '3 ms', 'masked_fill', 'released Paddle'):
        assert text in texts
    assert 'masked_fill: ours 3 ms, PyTorch 8 ms' in svg
    assert len(svg) < 30_000


def test_every_row_of_the_texts_is_measured():
    found = set(map(published.case_key, published.chosen()))
    rows = (*published.ROWS, *published.WORK_ROWS)
    wanted = {
        r.key(mode)
        for r in rows
        for mode in r.modes
        if mode == 'fwd' or r in published.WORK_ROWS
    }
    assert wanted <= found
    assert len(found) == len(published.chosen())
    names = {row.label for row in published.ROWS}
    assert {name for name, _ in published.FEW} <= names


def test_command_publishes_all_or_nothing(capsys):
    assert command.main(['--list', '--publish']) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed == [case.name for case in published.chosen()]


def test_command_writes_the_texts_of_a_complete_run(root, monkeypatch):
    run = {**run_data([result()]), 'not_run': [['a case', 2]]}
    monkeypatch.setattr(command, 'collect', lambda *_: run)
    monkeypatch.setattr(readme_table, 'ROOT', root)
    before = (root / 'README.md').read_text()
    options = ['--publish', '--json', str(root / 'run.json')]
    command.main(options)
    assert (root / 'README.md').read_text() == before
    run['not_run'] = []
    command.main(options)
    assert '| `masked_scatter` | 2 ms |' in (root / 'README.md').read_text()

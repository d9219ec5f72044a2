"""The figures in the texts: taken from a run, written, and checked."""

import json

import pytest
from bench import __main__ as command
from bench.report import published, readme_table, speed_picture
from bench.run.cases import all_cases, headers
from bench.run.processes import ROOT
from bench_samples import result, run_data

TEXTS = readme_table.sections(published.load(ROOT / published.RECORD))


@pytest.fixture
def root(tmp_path):
    """A project folder with the texts, and no figures in them."""
    marks = f'before\n{readme_table.START}\nold\n{readme_table.END}\nafter\n'
    for name in TEXTS:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(marks)
    return tmp_path


def take(root, results, *options, of_headers=()):
    """What a run does at its end."""
    run = root / 'run.json'
    run.write_text(json.dumps(run_data(results, of_headers)))
    readme_table.main([str(run), '--root', str(root), *options])


def outdated(root):
    return readme_table.outdated(published.load(root / published.RECORD), root)


def test_texts_of_this_project_show_the_record():
    data = published.load(ROOT / published.RECORD)
    assert len(published.few(data)) == len(published.FEW)
    assert outdated(ROOT) == []


def test_a_run_is_written_into_every_text(root):
    alone = result(threads=1, ours=4.0, torch=2.0)
    take(root, [alone, result(), result('histogram/fwd/float32/1000000')])
    readme = (root / 'README.md').read_text()
    assert readme.startswith('before\n') and readme.endswith('\nafter\n')
    assert 'old' not in readme and '2026-01-02' in readme
    assert '| `masked_scatter` | 2 ms | 8 ms (4x) | 0.5x | n/a |' in readme
    slower = (
        'Slower than PyTorch with one thread: masked_scatter forward (0.5x)'
    )
    assert slower in readme
    assert '4x PyTorch (geometric mean), at worst 4x (histogram' in readme
    row = '| masked_scatter | forward | 2 ms | 8 ms | - | n/a | 4x | 0.5x |'
    assert row in (root / 'docs/benchmark.md').read_text()
    texts = root / 'docs/pull_requests'
    brief = (
        '| forward | 4x | 4x (masked_scatter) | 0.5x | 0.5x (masked_scatter) |'
    )
    assert brief in (texts / 'masked_scatter.md').read_text()
    assert brief not in (texts / 'scatter.md').read_text()
    assert outdated(root) == []


def test_changed_figure_is_found(root):
    take(root, [result()])
    readme = root / 'README.md'
    readme.write_text(readme.read_text().replace('8 ms', '9 ms'))
    assert outdated(root) == ['README.md']
    readme_table.main(['--root', str(root)])
    assert outdated(root) == []
    data = published.load(root / published.RECORD)
    data['results'][0]['sides']['torch']['ms'] = 9.0
    assert not speed_picture.shows((root / 'docs/speed.svg').read_text(), data)


def test_busy_machine_changes_no_text(root):
    before = (root / 'README.md').read_text()
    with pytest.raises(SystemExit, match='run.json --busy'):
        take(root, [result(others=0.6)])
    assert (root / 'README.md').read_text() == before
    assert not (root / published.RECORD).exists()
    take(root, [result(others=0.6)], '--busy')
    assert (root / 'README.md').read_text() != before


def test_speed_headers_are_kept_beside_the_other_figures(root):
    page, name = root / 'docs/benchmark.md', 'scatter, sum, axis 1'
    take(root, [result()])
    assert f'`{headers()[0]}`: not measured yet.' in page.read_text()
    sides = {'ours': {'ms': 2.0}, 'without': {'ms': 2.2}}
    slow = result(name, sides=sides, ratio_without=1.1)
    take(root, [slow], of_headers=['lane_tile.h'])
    assert f'| {name} | forward | float32 | 2 | 2 ms | 2.2 ms | 1.1x |' in (
        page.read_text()
    )
    assert 'below 1.2 on all its cases: it does not pay' in page.read_text()
    take(root, [result(ours=4.0)])
    assert '2.2 ms' in page.read_text() and '| 4 ms |' in page.read_text()


def test_text_without_markers_is_named(root):
    (root / 'README.md').write_text('nothing')
    with pytest.raises(ValueError, match='README.md: expected once each'):
        take(root, [result()])


def test_picture_cuts_the_one_bar_that_would_dwarf_the_others():
    scatter, fill = result(), result('masked_fill', ours=3.0)
    scatter['sides']['release'] = {'ms': 500.0}
    svg = speed_picture.draw(published.record(run_data([scatter, fill]), {}))
    for text in ('500 ms (cut off)<', '>8 ms<', '>released Paddle<'):
        assert text in svg
    assert 'masked_fill: ours 3 ms, PyTorch 8 ms' in svg
    assert len(svg) < 30_000


def test_command_publishes_all_or_nothing(root, monkeypatch, capsys):
    assert command.main(['--list', '--publish']) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed == [case.name for case in all_cases() if case.shown]
    assert {label for label, *_ in (name.split('/') for name in listed)} >= {
        *published.FEW
    }
    failed = result()
    failed['sides']['torch'] = {'failed': 'differs from ours'}
    for run, written in (([failed], False), ([result()], True)):
        monkeypatch.setattr(command, 'collect', lambda *_, r=run: run_data(r))
        monkeypatch.setattr(
            readme_table, 'write', lambda data, _, done=[]: done.append(data)
        )
        monkeypatch.setattr(readme_table, 'ROOT', root)
        options = ['--publish', '--json', str(root / 'run.json')]
        assert command.main(options) == (not written)
        assert (root / published.RECORD).exists() == written

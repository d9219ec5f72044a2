"""check_ops_yaml as a command: whole files, the order of entries, the verdict."""

import pytest

from scripts.op_rules import check_ops_yaml
from scripts.op_rules.tests.yaml_samples import (
    DOUBLE,
    FORWARD,
    GOOD,
    GRAD,
    write,
)


def test_clean_file_has_no_faults(tmp_path, capsys):
    assert check_ops_yaml.main([str(write(tmp_path, GOOD))]) == 0
    out, err = capsys.readouterr()
    assert out.endswith('check_ops_yaml: clean\n')
    assert err == ''


def test_entries_of_this_project_are_clean(capsys):
    assert check_ops_yaml.main([]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ('text', 'fault'),
    [
        (
            f'{FORWARD}\n{GRAD}\n{DOUBLE}',
            f'{len(FORWARD.splitlines()) + 2}: expected `- backward_op : '
            'tuck_double_grad`, got `- backward_op : tuck_grad`',
        ),
        (f'{DOUBLE}\n{GRAD}', '1: expected one op, named tuck as the file, got none'),
        (
            GOOD.replace('- op : tuck', '- op : tucks'),
            '1: expected one op, named tuck as the file, got tucks',
        ),
        (
            f'{GOOD}\n{GRAD}',
            f'{len(GOOD.splitlines()) + 2}: tuck_grad: expected one entry of this name',
        ),
        (
            GOOD.replace('- op : tuck', '- name : tuck'),
            '1: entry without name: op: expected this key, got none',
        ),
        ('- op : [', "1: expected YAML, got: expected the node content, but found '<stream end>'"),
        ('op : tuck', '1: expected a list of entries, got something else'),
    ],
)  # fmt: skip
def test_fault_of_the_whole_file_is_reported(tmp_path, text, fault):
    faults = check_ops_yaml.check_folder(write(tmp_path, text))
    assert any(f.startswith(f'tuck.yaml:{fault}') for f in faults), faults


def test_name_in_two_files_is_reported(tmp_path):
    write(tmp_path, GOOD)
    write(tmp_path, GOOD.replace('- op : tuck', '- op : tuck_b'), 'tuck_b.yaml')
    assert (
        'tuck_grad: expected one file with it, got tuck.yaml, tuck_b.yaml'
        in (check_ops_yaml.check_folder(tmp_path))
    )


def test_all_faults_are_shown_in_one_run(tmp_path, capsys):
    text = GOOD.replace('  inplace :', '  in_place :', 1)
    text = text.replace('output : Tensor(x_grad)', 'output : Tensor(dx)')
    text = text.replace('optional : grad_x_grad', 'optional : other')
    assert check_ops_yaml.main([str(write(tmp_path, text))]) == 1
    out, err = capsys.readouterr()
    assert 'tuck.yaml:11: expected `backward : tuck_grad`, got `in_place' in err
    assert 'tuck_grad: output: expected names out of x_grad' in err
    assert 'tuck_double_grad: optional: expected a name out of' in err
    assert out.endswith('check_ops_yaml: FAILED\n')


def test_unread_entry_does_not_make_the_others_faulty(tmp_path):
    """An entry that cannot be read is still there for those that name it."""
    text = GOOD.replace('no_need_buffer : x', 'no_need_buffer : far')
    faults = check_ops_yaml.check_folder(write(tmp_path, text))
    assert [f.split(': ')[1] for f in faults] == ['tuck_grad']


def test_folder_without_files_is_a_fault(tmp_path):
    assert check_ops_yaml.check_folder(tmp_path) == [
        f'{tmp_path}: expected .yaml files, got none'
    ]

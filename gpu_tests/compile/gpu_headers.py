"""Headers that Paddle's GPU headers want and no CUDA compiler brings along.

Those of the CUDA libraries come from the libraries' own Python packages, of
which only the headers are kept; those of glog and Eigen from Debian's packages.
"""

import sys
import tempfile
import zipfile
from pathlib import Path

from scripts.common.files import write_atomic
from scripts.common.programs import run

LIBRARIES = (
    'nvidia-cublas==13.10.0.20',
    'nvidia-cudnn-cu13==9.28.0.42',
    'nvidia-cufft==12.5.0.14',
    'nvidia-curand==10.4.5.25',
    'nvidia-cusolver==12.4.1.2',
    'nvidia-cusparse==12.9.4.2',
)
# Debian package -> (what -isystem has to name, a header below it)
DEBIAN = {
    'libgoogle-glog-dev': ('/usr/include', 'glog/logging.h'),
    'libeigen3-dev': ('/usr/include/eigen3', 'Eigen/Core'),
}
STAMP = 'packages.txt'


class HeadersError(Exception):
    """The headers could not be had; the text says why."""


def missing_debian_packages():
    """Names of the Debian packages that have to be installed first."""
    return [
        package
        for package, (folder, header) in DEBIAN.items()
        if not Path(folder, header).is_file()
    ]


def download(package, folder):
    """The wheel of one package, in `folder`."""
    pip = (sys.executable, '-m', 'pip', 'download', '--quiet', '--no-input')
    options = ('--disable-pip-version-check', '--no-deps', '--only-binary')
    done = run(*pip, *options, ':all:', '--dest', folder, package)
    wheels = sorted(Path(folder).glob('*.whl'))
    if done.returncode or not wheels:
        reason = done.stderr.strip().splitlines() or ['no wheel']
        raise HeadersError(f'pip could not download {package}: {reason[-1]}')
    return wheels[0]


def extract(wheel, folder):
    """Only what lies below a folder named include."""
    with zipfile.ZipFile(wheel) as archive:
        names = [n for n in archive.namelist() if '/include/' in n]
        archive.extractall(folder, names)


def fetch(folder):
    """Makes sure that `folder` holds the headers of every library.

    The wheels are big, so they come one by one and go at once.
    """
    folder = Path(folder)
    wanted = '\n'.join(LIBRARIES) + '\n'
    stamp = folder / STAMP
    if stamp.is_file() and stamp.read_text(encoding='utf-8') == wanted:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for package in LIBRARIES:
        print(f'headers of {package}', flush=True)
        with tempfile.TemporaryDirectory(dir=folder) as wheels:
            extract(download(package, wheels), folder)
    write_atomic(stamp, wanted.encode())


def include_dirs(folder):
    """What -isystem has to name."""
    found = sorted(Path(folder).glob('nvidia/*/include'))
    debian = dict.fromkeys(place for place, _ in DEBIAN.values())
    # The compiler knows /usr/include; named first it would hide libstdc++'s.
    return found + [Path(place) for place in debian if place != '/usr/include']

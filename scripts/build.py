"""The program behind apply_and_build.sh: hands over to one of two targets.

The wheel target builds into the released Paddle wheel, in a virtual environment
of its own; the source target (--source DIR) builds a Paddle checkout.

Both run before a virtual environment exists, so they need nothing but the
standard library.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.source import target as source_target
from scripts.wheel import target as wheel_target


def main():
    argv = sys.argv[1:]
    source = any(word.split('=')[0] == '--source' for word in argv)
    return (source_target if source else wheel_target).main(argv)


if __name__ == '__main__':
    sys.exit(main())

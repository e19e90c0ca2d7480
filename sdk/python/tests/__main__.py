"""Runs all tests of this directory, with what unittest says on standard output."""

import faulthandler
import sys
import unittest
from pathlib import Path

#: The longest time that all tests may take, in seconds: what hangs beyond it is shown and ended.
DEADLINE = 300

if __name__ == "__main__":
    faulthandler.dump_traceback_later(DEADLINE, exit=True)
    here = Path(__file__).parent
    suite = unittest.defaultTestLoader.discover(str(here), pattern="test_*.py", top_level_dir=str(here.parent))
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=2)
    sys.exit(0 if runner.run(suite).wasSuccessful() else 1)

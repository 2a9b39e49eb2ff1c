"""``python -m mocapella``, for those who have no script of that name."""

import subprocess
import sys


def test_the_package_runs_as_a_module():
    told = subprocess.run([sys.executable, "-m", "mocapella", "--version"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("mocapella, version ")

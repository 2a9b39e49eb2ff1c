"""The top level of the package lists the public names and no others."""

import subprocess
import sys

import mocapella as mo


def test_dir_lists_the_public_names_and_no_others():
    assert dir(mo) == sorted(mo.__all__)
    for name in mo.__all__:
        assert getattr(mo, name) is not None
    assert dir(mo) == sorted(mo.__all__)  # now that submodules are imported, too
    public = {name for name in vars(mo) if not name.startswith("_")}
    modules = {name for name in public if type(vars(mo)[name]) is type(sys)}
    assert public - modules <= set(mo.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error():
    for name in ("annotations", "Any", "save_network", "with_flight", "AveragedMotion"):
        assert not hasattr(mo, name)


def test_importing_the_package_waits_for_nothing_else():
    code = "import sys, mocapella; print([name for name in ('numpy', 'scipy', 'msgspec') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

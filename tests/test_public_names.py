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


def test_a_player_is_imported_without_scipy():
    code = "import sys, mocapella; mocapella.Player; print([name for name in sys.modules if name.startswith('scipy')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_network_is_built_and_played_without_scipy():
    code = """if True:
        import sys
        import numpy as np
        import mocapella as mo
        rows = np.zeros((2, 8), dtype=complex)
        rows[0, 0] = 1.0
        joint = mo.Skeleton.of(["root"], [-1], [[0.0, 0.0, 0.0]])
        from mocapella.motion.contacts import CycleContacts
        from mocapella.motion.layout import layout_of
        contacts = [CycleContacts(left_heel=((at, 1.0), (at + 3.0, 1.0))) for at in (0.1, 0.2, 0.3)]
        spectra = [mo.Spectrum(rows, 1.0, layout_of("quaternion", joint), one) for one in contacts]
        places = [(0, 0), (1, 0), (0, 1)]
        nodes = [mo.Node(str(at), at, one) for at, one in zip(places, spectra)]
        player = mo.Player(mo.Network(nodes), point=(0.2, 0.2), feet="velocity")
        player.point = (0.3, 0.4)
        player.step(0.1)
        print([name for name in sys.modules if name.startswith("scipy")])
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

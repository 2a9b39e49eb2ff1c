from pathlib import Path

import pytest

from tests.fuzz.cases import make_case, run_case
from tests.fuzz.samples import samples, slow_samples

SEED = 20080401
BATCHES = [range(first, first + 50) for first in range(0, 400, 50)]


@pytest.mark.parametrize("numbers", BATCHES, ids=lambda numbers: f"{numbers.start}-{numbers.stop - 1}")
def test_a_damaged_small_file_loads_soundly_or_is_refused(tmp_path, numbers):
    for number in numbers:
        run_case(make_case(SEED, number, samples(None)), tmp_path)


@pytest.mark.data
@pytest.mark.parametrize("numbers", BATCHES, ids=lambda numbers: f"{numbers.start}-{numbers.stop - 1}")
def test_a_damaged_capture_loads_soundly_or_is_refused(tmp_path, data_folder, numbers):
    found = samples(data_folder)
    for number in numbers:
        run_case(make_case(SEED, number, found), tmp_path)


def test_the_undamaged_samples_load(tmp_path):
    from tests.fuzz.cases import Case

    bvh, pair, binary, *others = samples(None)
    assert run_case(Case("whole.bvh", bvh.motion, b"", clean=True, partial=False), tmp_path) == "loaded"
    assert run_case(Case("whole.amc", pair.motion, pair.skeleton, clean=True, partial=False), tmp_path) == "loaded"
    assert run_case(Case("whole.glb", binary.motion, b"", clean=True, partial=False), tmp_path) == "loaded"
    for sample in (*others, *slow_samples()):
        whole = Case(f"whole{Path(sample.name).suffix}", sample.motion, b"", clean=False, partial=False)
        assert run_case(whole, tmp_path) == "loaded"


@pytest.mark.parametrize(
    "name",
    [
        "sample.npz",
        "sample.trc",
        "sample.csv",
        "sample.vmd",
        "sample.mvnx",
        *(sample.name for sample in slow_samples()),
    ],
)
def test_damaged_files_of_one_format_load_soundly_or_are_refused(tmp_path, name):
    own = [sample for sample in (*samples(None), *slow_samples()) if sample.name == name]
    for number in range(12 if own[0] in slow_samples() else 60):
        run_case(make_case(SEED, number, own), tmp_path)


def test_a_case_is_the_same_every_time():
    assert make_case(1, 2, samples(None)) == make_case(1, 2, samples(None))
    assert make_case(1, 2, samples(None)) != make_case(1, 3, samples(None))

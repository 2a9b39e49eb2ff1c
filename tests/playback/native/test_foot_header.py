"""The native core has the foot constants of the reference."""

from benchmarks.foot_header import HEADER, header


def test_the_native_header_has_the_constants_of_the_reference():
    assert HEADER.read_text(encoding="utf-8") == header(), "run python -m benchmarks.foot_header"

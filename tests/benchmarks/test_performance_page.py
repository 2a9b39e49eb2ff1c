"""The page of figures says which were measured in the run, and which elsewhere."""

from benchmarks.performance_page import page

MACHINE = {"processor": "x86_64", "cores": "2 cores"}


def test_a_peer_that_was_measured_is_not_named_as_measured_elsewhere():
    row = {"name": "native", "value": 500.0, "unit": "ns", "mark": 96}
    alone = page({"machine": MACHINE, "rows": [row | {"published": 3074.0, "note": "as recorded"}]})
    assert "| native | 500 | ns | 96 | published or recorded: 3,074; as recorded |" in alone
    assert alone.count("\n| ozz-animation 0.15") == 2
    assert "| three.js animation mixer" in alone
    beside = page({"machine": MACHINE, "rows": [row | {"peers": {"ozz-animation, feet": 3000.0}}]})
    assert "| native | 500 | ns | 96 | ozz-animation, feet: 3,000 |" in beside
    assert "\n| ozz-animation 0.15" not in beside
    assert "| three.js animation mixer" in beside

"""Table 6.1 as the benchmark prints it."""

import numpy as np

from benchmarks.quality_spectra import format_table


def test_rows_round_the_low_range_and_the_best_offset_are_printed():
    table = np.full((102, 2), 56.0)
    table[78] = (7.28, 9.44)
    text = format_table(table, ["wrt 4", "wrt 11"])
    assert "    78        7.28        9.44" in text
    assert "…" in text
    assert text.endswith("best offset: 27")

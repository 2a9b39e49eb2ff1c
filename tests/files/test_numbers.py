import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mocapella.errors import FormatError
from mocapella.files import text as numbers
from mocapella.files.text import decimal_rows, row_blocks

digits = st.text("0123456789", min_size=1, max_size=20)
signs = st.sampled_from(["", "", "-", "+"])
exponents = st.sampled_from(["", "", "", "e0", "E5", "e-7", "e+11", "e-300", "E-015"])
mantissas = st.one_of(
    digits, st.builds("{}.{}".format, digits, digits), digits.map("{}.".format), digits.map(".{}".format)
)
spellings = st.builds("{}{}{}".format, signs, mantissas, exponents).filter(lambda word: abs(float(word)) <= 1e12)
plain_decimals = st.builds("{:.{}f}".format, st.floats(-1e6, 1e6), st.integers(0, 9))
whole_numbers = st.integers(-(10**9), 10**9).map(str)
words = st.one_of(plain_decimals, spellings, whole_numbers)
blanks = st.sampled_from([" ", " ", " ", "  ", "\t", " \t "])
line_ends = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\t\r\n", "\n\n", "\n \t\n"])


@st.composite
def tables(draw, words=words, blanks=blanks, line_ends=line_ends):
    """Text, and the words in it, row by row."""
    n_columns = draw(st.integers(1, 5))
    rows = draw(st.lists(st.lists(words, min_size=n_columns, max_size=n_columns), min_size=1, max_size=8))
    blank, lead = draw(blanks), draw(st.sampled_from(["", "", " ", "\t"]))
    text = "".join(lead + blank.join(row) + draw(line_ends) for row in rows)
    return draw(st.sampled_from([text, text.rstrip()])), rows


def read(text, n_columns, start=0, line=1):
    content = text if isinstance(text, bytes) else text.encode()
    blocks = [rows.copy() for rows in row_blocks("walk.bvh", content, start, line, n_columns)]
    return np.concatenate([np.empty((0, n_columns)), *blocks])


def bits(values):
    """Floats as whole numbers, so that equal means equal; only "-0" may lose its sign."""
    return (np.asarray(values, dtype=np.float64) + 0.0).view(np.int64)


# Laws


@settings(max_examples=300, deadline=None)
@given(tables())
@example(("1e5 .5 -.5 +5. 5.e3\n", [["1e5", ".5", "-.5", "+5.", "5.e3"]]))
@example(("-0 -0.0 0 00 007.50\n", [["-0", "-0.0", "0", "00", "007.50"]]))
@example(("900719925474.0993 0.1 1.0000000000000002\n", [["900719925474.0993", "0.1", "1.0000000000000002"]]))
@example(("0.30000000000000004 2.2250738585072011e-308\n", [["0.30000000000000004", "2.2250738585072011e-308"]]))
def test_every_spelling_gives_what_float_gives_bit_for_bit(table):
    text, rows = table
    expected = [[float(word) for word in row] for row in rows]
    np.testing.assert_array_equal(bits(read(text, len(rows[0]))), bits(expected))


@settings(max_examples=200, deadline=None)
@given(decimals=st.integers(2, 6), data=st.data())
def test_plain_decimals_are_read_all_at_once_and_exactly(decimals, data):
    word = st.floats(-(10.0 ** (10 - decimals)), 10.0 ** (10 - decimals)).map(lambda value: f"{value:.{decimals}f}")
    rows = data.draw(st.lists(st.lists(word, min_size=3, max_size=3), min_size=1, max_size=6))
    text = "".join(" ".join(row) + "\n" for row in rows)
    values = decimal_rows(text.encode(), 3)
    assert values is not None
    np.testing.assert_array_equal(bits(values), bits([[float(word) for word in row] for row in rows]))


@settings(max_examples=300, deadline=None)
@given(st.text("0123456789.-+ \t\r\n", max_size=60), st.integers(1, 4))
@example("1.5 -", 2)
@example(".5 .", 2)
@example("1.5 -.", 2)
@example("-", 1)
@example("1.5 2.5 ", 2)
@example("1.5\x002.5", 2)
@example("-.5 .5", 2)
@example("1.5 2-.5", 2)
@example(" 1.5 2.5", 2)
@example("1.5  2.5", 2)
@example("-  1.5", 2)
@example("- 1.5", 2)
@example("1.5 99999999.5", 2)
@example("1.5 999999999999.5", 2)
@example("1.5 12345678901234567890", 2)
def test_what_is_read_all_at_once_is_what_is_there(text, n_columns):
    values = decimal_rows(text.encode() + b"\n", n_columns)
    if values is not None:
        expected = [[float(word) for word in row.split()] for row in text.encode().split(b"\n") if row.split()]
        np.testing.assert_array_equal(bits(values), bits(np.reshape(expected, (-1, n_columns))))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text("0123456789.-+eE,_xn", min_size=1, max_size=6), min_size=1, max_size=4))
@example(["."])
@example(["-."])
@example(["+."])
@example([".e5"])
@example(["+-5"])
@example(["-+5"])
@example(["++5"])
@example(["1e+5", "+.5"])
@example(["1..5"])
@example(["5.-3"])
@example(["1,5"])
@example(["1.5", "5,"])
@example(["1_0"])
def test_what_is_no_number_never_becomes_one(row):
    def is_number(word):
        try:
            return abs(float(word)) <= 1e12 and "_" not in word and "n" not in word
        except ValueError:
            return False

    if all(is_number(word) for word in row):
        np.testing.assert_array_equal(bits(read(" ".join(row), len(row))), bits([[float(word) for word in row]]))
    else:
        with pytest.raises(FormatError):
            read(" ".join(row), len(row))


@settings(max_examples=60, deadline=None)
@given(tables(words=plain_decimals), st.integers(1, 60))
def test_where_chunks_are_cut_makes_no_difference(table, size):
    text, rows = table
    before = numbers._CHUNK
    numbers._CHUNK = size
    try:
        cut = read(text, len(rows[0]))
    finally:
        numbers._CHUNK = before
    np.testing.assert_array_equal(bits(cut), bits(read(text, len(rows[0]))))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_block_of_many_chunks_is_read_whole(end):
    rng = np.random.default_rng(5)
    table = np.round(rng.normal(scale=90.0, size=(9000, 12)), 4)
    text = end.join(" ".join(f"{value:.4f}" for value in row) for row in table.tolist()) + end
    assert len(text) > 3 * numbers._CHUNK
    np.testing.assert_array_equal(read(text, 12), table)


def test_reading_starts_where_it_is_told_to():
    content = b"MOTION\n1 2\n3 4\n"
    np.testing.assert_array_equal(read(content, 2, start=7, line=2), [[1, 2], [3, 4]])


def test_there_may_be_no_rows_at_all():
    for text in ("", "\n", " \n\t\r\n"):
        assert read(text, 3).shape == (0, 3)


# Refusals


@pytest.mark.parametrize("n_before", [0, 1, 5000])
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1.5 2.5", "expected 3 values, one for each channel, found 2"),
        ("1.5", "expected 3 values, one for each channel, found 1"),
        ("1.5 2.5 3.5 4.5", "expected 3 values, one for each channel, found more"),
        ("1.5 2.5 3.5 4.5 5.5 6.5", "expected 3 values, one for each channel, found more"),
        ("1.5 nan 3.5", "expected a number, found 'nan' as value 2"),
        ("1.5 2.5 NaN", "expected a number, found 'NaN' as value 3"),
        ("inf 2.5 3.5", "expected a number, found 'inf' as value 1"),
        ("1.5 -Infinity 3.5", "expected a number, found '-Infinity' as value 2"),
        ("1.5 1e999 3.5", "value 2 is too large: '1e999'"),
        ("1.5 -1e13 3.5", "value 2 is too large: '-1e13'"),
        ("1.5 9999999999999.5 3.5", "value 2 is too large: '9999999999999.5'"),
        ("1.5 1_000 3.5", "expected a number, found '1_000' as value 2"),
        ("1.5 0x1F 3.5", "expected a number, found '0x1F' as value 2"),
        ("1.5 1,5 3.5", "expected a number, found '1,5' as value 2"),
        ("1.5 1.5.5 3.5", "expected a number, found '1.5.5' as value 2"),
        ("1.5 . 3.5", "expected a number, found '.' as value 2"),
        ("1.5 - 3.5", "expected a number, found '-' as value 2"),
        ("1.5 --1 3.5", "expected a number, found '--1' as value 2"),
        ("1.5 1e 3.5", "expected a number, found '1e' as value 2"),
        ("1.5 true 3.5", "expected a number, found 'true' as value 2"),
        ("1.5 null 3.5", "expected a number, found 'null' as value 2"),
        ("1.5 [2.5] 3.5", "expected a number, found '[2.5]' as value 2"),
        ('1.5 "2.5" 3.5', "expected a number, found '\"2.5\"' as value 2"),
        ("1.5 ½ 3.5", "expected a number, found '½' as value 2"),
        ("1.5 ٣ 3.5", "expected a number, found '٣' as value 2"),
        ("1.5 2.5\x003.5 3.5", "expected a number, found '2.5\\x003.5' as value 2"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(row, reason, n_before):
    text = "1.0000 2.0000 3.0000\n" * n_before + row + "\n" + "1.0000 2.0000 3.0000\n" * 3
    with pytest.raises(FormatError) as caught:
        read(text, 3, line=11)
    assert caught.value.reason == reason
    assert caught.value.line == 11 + n_before
    assert str(caught.value) == f"walk.bvh:{11 + n_before}: {reason}"


def test_a_line_far_longer_than_its_numbers_is_no_row():
    with pytest.raises(FormatError, match=r"walk.bvh:2: a line of \d{3},\d{3} bytes is not a row of 2 values"):
        read("1 2\n3" + " " * 400_000 + "4\n", 2)


def test_blank_lines_count_as_lines():
    with pytest.raises(FormatError, match=r"walk.bvh:5: expected a number, found 'x' as value 1"):
        read("1 2\n\r\n \n3 4\nx 4\n", 2)


def test_numbers_on_both_sides_of_a_lone_carriage_return_are_two():
    with pytest.raises(FormatError, match="expected 2 values, one for each channel, found more"):
        read("1.5\r2.5 3.5\n", 2)


# Bounds


@pytest.mark.parametrize("line", [b"." * 4_000_000, b"1 " * 2_000_000, b"-" * 4_000_000, b"1." * 2_000_000])
def test_one_endless_line_takes_no_more_memory_than_a_few_copies_of_it(line):
    tracemalloc.start()
    with pytest.raises(FormatError):
        read(line, 3)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * len(line)  # room for the values there might be, and two copies


def test_memory_for_a_long_block_stays_near_the_size_of_its_values():
    text = (b"12.3456 " * 40)[:-1] + b"\n"
    content = text * 4000
    tracemalloc.start()
    values = read(content, 40)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * values.nbytes

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mocapella.errors import FormatError
from mocapella.files.text import NUMBER, Tokens, as_number, plain_lines, quoted, text, without_lone_returns


def tokens(content):
    return Tokens("walk.bvh", content if isinstance(content, bytes) else content.encode())


def all_words(content):
    source = tokens(content)
    words = []
    while word := source.next():
        words.append(word)
    return words


# Words


def test_words_are_parted_by_blanks_tabs_and_line_ends_of_all_kinds():
    assert all_words("a b\tc\nd\r\ne\x0bf\x0cg   \n\n h") == list("abcdefgh")


def test_braces_are_words_of_their_own():
    assert all_words("ROOT Hips{OFFSET}}x{") == ["ROOT", "Hips", "{", "OFFSET", "}", "}", "x", "{"]


@given(st.lists(st.text("abcXYZ:.-09é", min_size=1, max_size=5), max_size=8))
def test_words_come_back_as_they_were(words):
    assert all_words(" ".join(words)) == words


def test_a_byte_order_mark_is_no_part_of_the_first_word():
    assert all_words(b"\xef\xbb\xbfHIERARCHY x") == ["HIERARCHY", "x"]


def test_text_in_utf_16_is_read_as_in_utf_8():
    assert without_lone_returns("HIERARCHY 左\r\n".encode("utf-16")) == "HIERARCHY 左\r\n".encode()
    assert plain_lines("frame 1\r\n2".encode("utf-16")) == b"frame 1\n2"


def test_at_the_end_there_is_an_empty_word_for_ever():
    source = tokens("one  ")
    assert [source.next(), source.next(), source.peek(), source.next(), source.rest_of_line()] == [
        "one",
        "",
        "",
        "",
        "",
    ]


def test_peeking_does_not_step():
    source = tokens("one two")
    assert [source.peek(), source.peek(), source.next(), source.peek()] == ["one", "one", "one", "two"]


def test_the_rest_of_a_line_ends_at_its_end_or_a_brace():
    source = tokens("ROOT  my hips:1 \t\r\nnext {")
    source.next()
    assert source.rest_of_line() == "my hips:1"
    assert source.next() == "next"
    assert source.rest_of_line() == ""
    assert source.next() == "{"


def test_words_are_utf8_where_they_can_be_and_single_bytes_elsewhere():
    assert text("hüfte".encode()) == text("hüfte".encode("latin-1")) == "hüfte"


# Places


def test_the_line_is_that_of_the_last_word():
    source = tokens("a\n\nb c\r\nd")
    assert source.line == 1
    lines = []
    while source.next():
        lines.append(source.line)
    assert lines == [1, 3, 3, 4]


def test_an_error_at_the_end_names_the_last_line():
    source = tokens("a\nb\n")
    source.next(), source.next()
    with pytest.raises(FormatError, match=r"walk.bvh:3: expected OFFSET, found the end of the file"):
        source.expect("OFFSET")


def test_a_wrong_keyword_is_reported_with_its_place():
    source = tokens("HIERARCHY\nRUUT Hips")
    source.expect("hierarchy")
    with pytest.raises(FormatError) as caught:
        source.expect("ROOT")
    assert str(caught.value) == "walk.bvh:2: expected ROOT, found 'RUUT'"
    assert (caught.value.path, caught.value.line, caught.value.reason) == ("walk.bvh", 2, "expected ROOT, found 'RUUT'")


def test_the_next_line_starts_after_the_next_newline():
    source = tokens("Frame Time: .01 \r\n1 2\n")
    for _ in range(3):
        source.next()
    assert source.content[source.next_line_start() :] == b"1 2\n"
    assert tokens("no line end").next_line_start() == len("no line end")


@given(st.binary(max_size=60))
def test_lone_returns_become_newlines_and_lines_keep_their_numbers(content):
    plain = without_lone_returns(content)
    assert len(plain.splitlines()) == len(content.splitlines())
    assert plain.split() == content.split()
    assert plain.count(b"\r") == plain.count(b"\r\n")


def test_a_text_without_lone_returns_is_not_copied():
    for content in (b"a\r\nb\r\n" * 10, b"a\nb\n" * 10):
        assert without_lone_returns(content) is content


# Numbers


@given(st.floats(-1e12, 1e12))
def test_numbers_are_what_float_makes_of_them(value):
    assert tokens(repr(value)).number("a length") == value
    assert tokens(f"{value:.4e}").number("a length") == float(f"{value:.4e}")


@pytest.mark.parametrize("word", [".5", "5.", "+5", "-.5e-3", "0005", "1E5", "1e+05"])
def test_numbers_may_be_written_in_many_ways(word):
    assert tokens(word).number("a length") == float(word)


@pytest.mark.parametrize(
    "word",
    [
        "",
        ".",
        "-",
        "e5",
        "1e",
        "1e5.",
        "nan",
        "inf",
        "-inf",
        "1e999",
        "1e13",
        "1_0",
        "0x5",
        "1,5",
        "٣",
        "½",
        "1.2.3",
        "five",
    ],
)
def test_other_words_are_no_numbers(word):
    with pytest.raises(FormatError, match=r"walk.bvh:1: expected a number for a length, found "):
        tokens(word).number("a length")


@given(st.text("0123456789.eE+-", max_size=12).map(str.encode))
def test_our_idea_of_a_number_is_that_of_float(word):
    try:
        float(word)
        is_float = True
    except ValueError:
        is_float = False
    assert (NUMBER.fullmatch(word) is not None) == is_float


def test_numbers_too_large_for_any_motion_are_none():
    assert as_number(b"1e12") == 1e12
    assert as_number(b"-1e12") == -1e12
    assert math.isnan(as_number(b"1.1e12"))
    assert math.isnan(as_number(b"1" * 400))


@pytest.mark.parametrize("word", ["", "-1", "+1", "1.0", "1e3", "٣", "²", "x", "9" * 19, "9" * 100_000])
def test_other_words_are_no_whole_numbers(word):
    with pytest.raises(FormatError, match=r"walk.bvh:1: expected a whole number for the count, found "):
        tokens(word).whole_number("the count")


def test_whole_numbers_may_be_very_large():
    assert tokens("1000000000000").whole_number("the count") == 10**12
    assert tokens("007").whole_number("the count") == 7


def test_a_word_in_an_error_is_quoted_and_never_long():
    assert quoted("x") == "'x'"
    assert quoted("") == "the end of the file"
    assert quoted("a\x00\n\x1b") == r"'a\x00\n\x1b'"
    assert len(quoted("y" * 10_000)) < 50
    assert quoted("y" * 10_000).endswith("…'")

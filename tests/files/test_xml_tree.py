"""XML of strangers: trees with lines; entities, depth and other encodings."""

import numpy as np
import pytest

from mocapella.errors import FormatError
from mocapella.files.xml_tree import number_rows, read_xml


@pytest.fixture
def read(tmp_path):
    def parse(content):
        (tmp_path / "a.xml").write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_xml(tmp_path / "a.xml")[0]

    return parse


def test_elements_have_their_text_their_attributes_and_their_line(read):
    root = read('<?xml version="1.0"?>\n<a:top xmlns:a="x" n="1">\n <b>one <c/>two</b>\n <b/>\n</a:top>')
    assert (root.tag, root.attributes["n"], root.line) == ("top", "1", 2)
    assert [child.line for child in root.all("b")] == [3, 4]
    assert root.words("b") == "one two"
    assert root.first("b", "c").line == 3
    assert root.first("d") is None


def test_names_may_be_in_any_encoding_that_is_stated(read):
    for encoding in ("utf-8", "utf-16", "iso-8859-1"):
        assert read(f'<?xml version="1.0" encoding="{encoding}"?><a>Ärm</a>'.encode(encoding)).text == "Ärm"


LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE a [\n<!ENTITY l0 "lol">\n'
    + "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">\n' for i in range(1, 12))
    + "]>\n<a>&l11;</a>"
)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (LAUGHS, "a.xml:2: has a document type"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "a.xml:1: has a document type"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "a.xml:1: has a document type"),
        ("<a>&b;</a>", "a.xml:1: is not XML: undefined entity"),
        ("<a>" * 2000 + "</a>" * 2000, "a.xml:1: elements are nested more than 1000 deep"),
        ("<a>\n<b></a>", "a.xml:2: is not XML: mismatched tag"),
        ("<a>\n", "a.xml:2: is not XML: no element found"),
        ("text", "a.xml:1: is not XML: syntax error"),
        (b"\x00\x01\x02", "a.xml:1: is not XML"),
        (b"<a>\xff</a>", "a.xml:1: is not XML: not well-formed"),
        ('<?xml version="1.0" encoding="none-such"?><a/>', "a.xml:1: is not XML"),
        ('<?xml version="1.0" encoding="zlib_codec"?><a/>', "a.xml:1: is not XML"),
        ("<a/><b/>", "a.xml:1: is not XML: junk after document element"),
    ],
)
def test_what_is_no_plain_xml_is_refused_with_its_line(read, content, reason):
    with pytest.raises(FormatError, match=reason):
        read(content)


def test_rows_of_numbers_are_those_of_the_elements(read, tmp_path):
    rows = read("<a>" + "".join(f"<r>{i} {i + 0.5}\n{-i}e1</r>" for i in range(600)) + "</a>").all("r")
    table = number_rows(tmp_path, rows)
    np.testing.assert_allclose(table, [[i, i + 0.5, -10 * i] for i in range(600)])

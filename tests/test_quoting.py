"""Any name comes back unchanged from a parser of the language it was written in, and adds nothing to the file."""

import ast
import csv
import html
import io
import json
import math
import re
import tomllib
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from xml.sax.saxutils import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mocapella import quoting

NASTY = [
    'a"b',
    "a'b",
    "a\nb",
    "a\r\nb",
    "\\",
    'a\\"',
    '"""',
    "*/ evil(); /*",
    "]]>",
    "</script><script>evil()</script>",
    "<!--",
    "{evil}",
    "%s ${evil} #{evil}",
    "[node name=",
    "\0",
    "\x1b[31m",
    "\x7f",
    "\u202eevil\u2066",
    "\u2028\u2029\x85\x0b\x0c",
    "\ud800",
    "😀𝔐",
    "x" * 5000,
    "",
    " ",
    "=1+1",
    "$x^{$",
    "a|b`c`![d](e)<f>",
    "# a",
    "1. a",
    "\ufffe",
]


def sound(text):
    """A text without what a language cannot hold."""
    return re.sub("[\0\ud800-\udfff]", "\ufffd", text)


names = st.one_of(st.sampled_from(NASTY), st.text(st.characters(), max_size=40))
plain = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), names),
    lambda part: st.one_of(
        st.lists(part, max_size=3), st.lists(part, max_size=3).map(tuple), st.dictionaries(names, part, max_size=3)
    ),
    max_leaves=8,
)


@given(plain)
def test_a_value_in_python_is_one_expression_with_that_value(value):
    text = quoting.python_literal(value)
    assert text.isprintable()
    (statement,) = ast.parse(text.encode("utf-8", "strict")).body
    assert {type(node) for node in ast.walk(statement) if isinstance(node, ast.Name)} <= {ast.Name}
    assert {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)} <= {"float"}
    again = eval(compile(ast.Expression(statement.value), "literal", "eval"), {"__builtins__": {}, "float": float})
    assert repr(again) == repr(value)


def test_a_value_whose_text_could_be_anything_is_no_literal_of_python():
    class Odd:
        def __repr__(self):
            return "evil()"

    with pytest.raises(TypeError, match="Odd"):
        quoting.python_literal([Odd()])


@given(st.dictionaries(names.filter(lambda name: name != "function"), plain, max_size=3))
def test_options_of_any_name_in_python_are_those_of_one_call(options):
    call = ast.parse(quoting.python_call("f", "1", **options), mode="eval").body
    assert isinstance(call, ast.Call)
    assert len(call.args) == 1

    def called(number, **given):
        return given

    code = compile(ast.Expression(call), "call", "eval")
    again = eval(code, {"__builtins__": {}, "float": float, "f": called})
    assert repr(sorted(again.items())) == repr(
        sorted((key, value) for key, value in options.items() if value is not None)
    )


@given(names)
def test_a_docstring_is_one_text_and_nothing_more(name):
    (statement,) = ast.parse(quoting.python_docstring(name)).body
    assert ast.literal_eval(statement.value) == " ".join(name.split())


def godot_parsed(text):
    """The text that Godot's parser of variants makes of a quoted one, and what follows it."""
    assert text[0] == '"'
    out, i = [], 1
    while text[i] != '"':
        if text[i] != "\\":
            out.append(text[i])
            i += 1
            continue
        kind = text[i + 1]
        digits = {"u": 4, "U": 6}.get(kind, 0)
        out.append(chr(int(text[i + 2 : i + 2 + digits], 16)) if digits else {"n": "\n", "t": "\t"}.get(kind, kind))
        i += 2 + digits
    return "".join(out), text[i + 1 :]


@given(names)
def test_a_name_in_a_scene_of_godot_comes_back(name):
    text = quoting.godot_string(name)
    assert "\n" not in text
    assert godot_parsed(text + " rest") == (sound(name), " rest")


@given(names)
@example("a/b:c")
def test_a_name_in_a_path_of_godot_adds_no_step(name):
    for bone in (True, False):
        assert not set(quoting.godot_name(name, bone=bone)) & set(":/")


@given(names.map(sound), names.map(sound))
def test_a_name_in_toml_comes_back_as_key_and_as_value(key, value):
    text = f'{quoting.toml_key(key)} = {quoting.toml_literal(value)}\n"after it" = 1\n'
    assert list(tomllib.loads(text).items()) == [(key, value), ("after it", 1)]


def test_half_a_character_is_no_text_of_toml():
    with pytest.raises(UnicodeEncodeError):
        quoting.toml_literal("\ud800")


@given(st.floats())
def test_a_float_in_toml_comes_back_bit_for_bit(value):
    again = tomllib.loads(f"a = {quoting.toml_literal(value)}")["a"]
    assert again == value or (math.isnan(again) and math.isnan(value))


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.texts = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, attrs))

    def handle_data(self, data):
        self.texts.append(data)


@given(names)
def test_a_name_in_html_comes_back_as_text_and_as_attribute(name):
    written = quoting.html_text(name)
    reader = Reader()
    reader.feed(f'<p title="{written}">{written}</p>')
    reader.close()
    assert reader.tags == [("p", [("title", sound(name))])]
    assert "".join(reader.texts) == html.unescape(written)


@given(st.dictionaries(names, names, max_size=3))
def test_names_in_the_json_of_a_page_come_back_and_end_no_script(value):
    text = quoting.json_in_html(json.dumps(value))
    reader = Reader()
    reader.feed(f'<script type="application/json">{text}</script><p>')
    reader.close()
    assert [tag for tag, _ in reader.tags] == ["script", "p"]
    assert json.loads("".join(reader.texts)) == value


@given(st.lists(names, min_size=1, max_size=3), st.integers(), st.floats(allow_nan=False, allow_infinity=False))
def test_names_in_csv_come_back_in_their_cells_and_none_is_a_formula(texts, count, number):
    lines = quoting.csv_line(*texts, count, number) + quoting.csv_line("after it")
    row, after = csv.reader(io.StringIO(lines, newline=""))
    assert after == ["after it"]
    assert int(row[-2]) == count
    assert float(row[-1]) == pytest.approx(number, rel=1e-8)
    for cell, text in zip(row[:-2], texts, strict=True):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
        assert cell.removeprefix("'") == re.sub("[\ud800-\udfff]", "\ufffd", text).removeprefix("'")


@given(names)
def test_a_name_in_markdown_is_text_of_its_paragraph_and_of_its_cell(name):
    written = quoting.markdown_text(name)
    tokens = (
        MarkdownIt("commonmark").enable("table").parse(f"the {written}\n\n| a | b |\n|---|---|\n| x{written} | y |\n")
    )
    kinds = [token.type for token in tokens if token.type.endswith("open")]
    cells = ["tr_open", "td_open", "td_open"]
    assert kinds == [
        "paragraph_open",
        "table_open",
        "thead_open",
        "tr_open",
        "th_open",
        "th_open",
        "tbody_open",
        *cells,
    ]
    shown = [token for token in tokens if token.type == "inline"]
    assert {child.type for token in shown for child in token.children} <= {"text", "text_special"}
    line = re.sub("[\0-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", " ".join(name.split()))
    texts = ["".join(child.content for child in token.children) for token in shown]
    assert texts == [f"the {line}".strip(), "a", "b", f"x{line}", "y"]


@given(names)
def test_a_name_in_a_picture_is_text_of_xml(name):
    drawn = quoting.picture_text(name)
    (element,) = ET.fromstring(f"<a><b>{escape(drawn, {chr(13): '&#13;'})}</b></a>")
    assert (element.text or "") == drawn
    assert len(drawn) == len(name)
    assert all(new == old or new == "\ufffd" for new, old in zip(drawn, name, strict=True))

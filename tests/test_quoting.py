"""Any name comes back unchanged from a parser of the language it was written in, and adds nothing to the file."""

import ast
import html
import json
import math
import re
import tomllib
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

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

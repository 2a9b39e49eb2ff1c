"""Maps are drawn, whatever the shape of the network."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

import mocapella as mo
from mocapella.pictures.networks import draw_network

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def nodes(walks):
    return mo.build_network(walks).nodes


@pytest.mark.parametrize("count", [1, 2, 4])
def test_points_chains_and_triangles_are_drawn(nodes, tmp_path, count):
    draw_network(mo.Network(nodes[:count]), tmp_path / "map.png", track=[(0.0, 1.0), (10.0, 1.2)])
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize(
    "name", ["$x^{$", "$\\frac{1}{2}$", "\0\x1b[31m\ufffe\ud800", "--></svg><script>evil()</script>"]
)
def test_a_name_is_drawn_as_it_is_and_adds_nothing_to_a_picture(nodes, tmp_path, name):
    odd = mo.Network([replace(nodes[0], name=name), *nodes[1:3]])
    for suffix in ("png", "svg", "pdf"):
        draw_network(odd, tmp_path / f"map.{suffix}", title=name)
    tags = {element.tag.rpartition("}")[2] for element in ET.parse(tmp_path / "map.svg").iter()}
    assert tags.isdisjoint({"script", "foreignObject", "a", "text"})

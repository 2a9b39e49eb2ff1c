"""Maps are drawn, whatever the shape of the network."""

import itertools
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.pictures import canvas
from mocapella.pictures.networks import draw_network, draw_volume

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


def label_boxes(drawn):
    """The text and the box of every label of a picture, as matplotlib draws them, and the boxes of the dots, pixels."""
    from matplotlib.text import Annotation, Text

    drawn.canvas.draw()
    axes = drawn.axes[0]
    labels = [child for child in axes.get_children() if isinstance(child, Annotation)]
    boxes = [Text.get_window_extent(label) for label in labels]
    return axes, [label.get_text() for label in labels], boxes


def crowd_of_nodes(nodes, count, spread):
    """Nodes by chance round a place, with names of all lengths."""
    rng = np.random.default_rng(count)
    at = rng.normal(size=(count, 2)) * spread + [0.0, 1.5]
    names = [f"run {i / 10:.1f} m/s, left {i}°" if i % 2 else f"take {i}" for i in range(count)]
    return [mo.Node(name, tuple(place), nodes[0].spectrum) for name, place in zip(names, at.tolist(), strict=True)]


@pytest.mark.parametrize(("count", "corner"), [(12, 0.0), (60, 0.0), (30, 400.0)])
def test_no_label_of_a_map_covers_another_or_a_node(nodes, tmp_path, count, corner):
    crowd = crowd_of_nodes(nodes, count, [40.0, 0.8])
    if corner:  # all but one in a small part of the map, where not all labels have room
        crowd[0] = replace(crowd[0], at=(corner * 10.0, 1.5 + corner / 5.0))
    with canvas.kept() as figures:
        draw_network(mo.Network(crowd), tmp_path / "map.png")
    axes, texts, boxes = label_boxes(figures[0])
    assert len(texts) == count
    for box, other in itertools.combinations(boxes, 2):
        assert not box.overlaps(other)
    for node, box in itertools.product(crowd, boxes):
        assert not box.contains(*axes.transData.transform(node.at))
    listed = [row.get_text() for legend in figures[0].legends for row in legend.get_texts()]
    assert bool(listed) == bool(corner)
    for node in crowd:  # each is named beside its node or in the list
        assert (
            sum(node.name in text.splitlines() for text in texts) + sum(f"  {node.name} ·" in row for row in listed)
            == 1
        )


def test_no_label_of_a_network_in_space_covers_another(nodes, tmp_path):
    places = np.random.default_rng(2).random((20, 3)).tolist()
    volume = mo.Volume([mo.Node(f"take {i}", tuple(at), nodes[0].spectrum) for i, at in enumerate(places)])
    with canvas.kept() as figures:
        draw_volume(volume, tmp_path / "volume.png")
    _, texts, boxes = label_boxes(figures[0])
    assert sorted(texts) == sorted(volume.names)
    assert not any(box.overlaps(other) for box, other in itertools.combinations(boxes, 2))

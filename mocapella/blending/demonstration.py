"""The hybrid network of the demonstrations: the embedded actor walks, runs, changes between them, twirls and stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mocapella.actor import capture
from mocapella.blending.build import build_network
from mocapella.blending.draft import Draft
from mocapella.blending.find_transition import find_transition
from mocapella.blending.hybrid import HybridNetwork
from mocapella.motion.clip import Clip

PACES = ("slow", "medium", "fast")
WAYS = ("straight", "left", "right", "sharp left", "sharp right")
BLOCKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {block: tuple(f"{pace} {gait} {way}" for pace in PACES for way in WAYS)
     for block, gait in (("walking", "walk"), ("running", "run"))}
)  # fmt: skip
ARCS: Mapping[str, tuple[str, str | None]] = MappingProxyType(
    {
        "walk-run": ("walking", "running"),
        "run-walk": ("running", "walking"),
        "walk-twirl-walk": ("walking", None),
        "run-twirl-run": ("running", None),
        "walk-stand": ("walking", "standing"),
        "stand-walk": ("standing", "walking"),
    }
)
MODES: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "blend": ("b", ()),
        "change": ("c", ("walk-run", "run-walk", "walk-stand", "stand-walk")),
        "twirl": ("t", ("walk-twirl-walk", "run-twirl-run")),
    }
)


def demo_hybrid(
    *,
    standing: bool = False,
    mirrored: bool = True,
    seed: int = 0,
    clips: Mapping[str, Clip] = MappingProxyType({}),
    progress: Callable[[str], None] = lambda name: None,
) -> HybridNetwork:
    """A block of walks and a block of runs, two ways between them and a twirl in each, in three operating modes.

    In the mode ``"blend"`` both blocks are whole and no arc is open; ``"change"`` opens the ways from one block to the
    other, ``"twirl"`` the twirls. Keys b, c and t switch between them.

    Parameters
    ----------
    standing
        Add standing, as a block of its own, with the ways there and back.
    mirrored
        Let every change be played mirrored where that comes round sooner.
    seed
        Of the actor's habits.
    clips
        Captures by name that are to be taken instead of new ones.
    progress
        Told each capture's name as its turn comes.
    """

    def captured(name: str) -> Clip:
        progress(name)
        return clips[name] if name in clips else capture(name, seed=seed)[0]

    arcs = [name for name, ends in ARCS.items() if standing or "standing" not in ends]
    draft = Draft({block: build_network([captured(name) for name in names]) for block, names in BLOCKS.items()})
    for name in arcs:
        source, target = ARCS[name]
        stood = source == "standing"
        change = find_transition(captured(name), name=name)
        draft = draft.with_transition(change, source, target, mirrored=mirrored and not stood, at_once=stood)
    opened = {mode: (key, [name for name in names if name in arcs]) for mode, (key, names) in MODES.items()}
    return draft.finished([draft.mode(mode, names, key=key) for mode, (key, names) in opened.items()])

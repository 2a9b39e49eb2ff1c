"""The virtual clips of a library: recipes of modifiers over real clips, made on demand.

A recipe is a clip to begin with and modifiers in order, each with its values and further clips, all by their names in
the library; what it names may be virtual, too. The motion is kept in memory for a while and is never stored.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mocapella.errors import MotionError
from mocapella.files.formats import read_motion
from mocapella.library.entries import Capture, file_of
from mocapella.library.modifiers import Modifier
from mocapella.library.plugins import found_modifiers, untrusted
from mocapella.library.store import Library
from mocapella.motion.clip import Clip

_KEPT = 256 * 1024**2  # bytes of motions kept in memory
_DEEPEST = 32  # virtual clips made of virtual clips
_LONGEST = 64  # modifiers in a recipe


@dataclass(frozen=True)
class _Listed:
    """A clip that a user of the library sees, real or virtual."""

    name: str
    layer: str  # "real" or "virtual"
    made: str  # the file, or the recipe in words
    kinds: tuple[str, ...] = ()


class Shelf:
    """The two upper layers of a library: modifiers, and the virtual clips they make."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._kept: OrderedDict[str, Clip] = OrderedDict()
        self.spaces: dict[str, object] = {}  # networks made for requests

    @cached_property
    def modifiers(self) -> Mapping[str, Modifier]:
        """By name."""
        return found_modifiers(self._library.folder)

    def modifier(self, name: str) -> Modifier:
        """A modifier by its name. Raises ``MotionError`` where there is none of that name."""
        plain = name.strip().lower().replace("-", "_").replace(" ", "_")
        if plain in self.modifiers:
            return self.modifiers[plain]
        waiting = untrusted(self._library.folder)
        if any(plain in path.read_text(errors="replace") for path in waiting):
            raise MotionError(
                f"there is no modifier {plain[:40]!r}; {waiting[0].name} and its like are not trusted",
                helps="read them, then: mocapella library trust",
            )
        raise MotionError(f"there is no modifier {plain[:40]!r}", helps="mocapella library list --modifiers names them")

    def listed(self) -> list[_Listed]:
        """All clips that can be asked for: real ones, gaits mirrored in phase, and those that were defined."""
        names = _names(self._library.captures())
        kinds = {name: tuple(dict.fromkeys(cycle.kind for cycle in names[name].cycles)) for name in names}
        real = [_Listed(name, "real", str(names[name].path), kinds[name]) for name in names]
        mirrored = [
            _Listed(f"{name}|sync_mirror", "virtual", f"{name}, then sync_mirror", kinds[name])
            for name in names
            if kinds[name]
        ]
        recipes = self._library.recipes().items()
        return real + mirrored + [_Listed(name, "virtual", _in_words(*recipe)) for name, recipe in recipes]

    def checked(self, name: str, base: str, steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The steps of a recipe as they are stored. ``base`` and ``steps`` are as ``Library.define`` takes them."""
        if not name.strip() or "|" in name or len(name) > 200 or not name.isprintable():
            raise MotionError(expected="a name for a virtual clip, without |", got=repr(name[:40]))
        if self._library.captures("c.name = ?", [name]):
            raise MotionError(f"there is a real clip called {name!r}", helps="take another name")
        out = self._steps(steps)
        recipes = {**self._library.recipes(), name: (base, out)}
        self._refuse_circles(name, recipes, ())
        return out

    def refuse_needed(self, name: str) -> None:
        """Raise ``MotionError`` for a recipe that does not exist or that others need."""
        recipes = self._library.recipes()
        if name not in recipes:
            raise MotionError(f"there is no virtual clip called {name!r}")
        needing = [other for other, (base, steps) in recipes.items() if name in _needed(base, steps, self)]
        if needing:
            raise MotionError(f"{name} is needed by {', '.join(needing)}", helps="drop these first")

    def make(self, name: str) -> Clip:
        """The motion of a clip by its name, or by a recipe in line: ``walk|sync_mirror``.

        ``name`` is of a real or virtual clip; after ``|`` modifiers that need no values may follow.
        """
        return self._made(name, self._library.recipes(), ())

    def of(self, base: str, steps: Sequence[Mapping[str, Any]]) -> Clip:
        """The motion of a recipe that has no name. ``base`` and ``steps`` are as ``Library.define`` takes them."""
        return self._applied(base, self._steps(steps), self._library.recipes(), ())

    def capture(self, name: str) -> Capture:
        """A real clip by its name or the path of its file.

        ``name`` is the name, if it is unique, else the path. Raises ``MotionError`` where there is none, or there are
        several.
        """
        captures = self._library.captures("c.name = ? AND c.twin IS NULL", [name]) or self._library.captures(
            "c.name = ?", [name]
        )
        if not captures:
            place = str(Path(name).absolute())
            folder = f"{self._library.folder.absolute()}/"
            captures = self._library.captures("f.path IN (?, ?)", [place, place.removeprefix(folder)])
        if len(captures) > 1:
            raise MotionError(
                f"{len(captures)} captures are called {name!r}", helps=f"name one by its path, {captures[0].path} say"
            )
        if not captures:
            raise MotionError(f"there is no clip called {name[:80]!r} in the library", helps="mocapella library list")
        return captures[0]

    def _steps(self, steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        if len(steps) > _LONGEST:
            raise MotionError(expected=f"at most {_LONGEST} modifiers in a recipe", got=len(steps))
        out = []
        for step in steps:
            modifier = self.modifier(str(step.get("modifier", "")))
            inputs = [str(name) for name in step.get("inputs", ())]
            given = dict(step.get("parameters", {}))
            plain = {key: given[key] for key in given if key not in modifier.clips}
            names = {key: str(given[key]) for key in given if key in modifier.clips}
            checked = modifier.checked({**plain, **names}, len(inputs))
            out.append(
                {
                    "modifier": modifier.name,
                    "parameters": _json({key: checked[key] for key in plain if key in checked} | names),
                    "inputs": inputs,
                }
            )
        return out

    def _made(self, name: str, recipes: Mapping[str, Any], above: tuple[str, ...]) -> Clip:
        if name in above or len(above) > _DEEPEST:
            raise MotionError(f"the recipe of {name} needs itself: {' of '.join((*above, name))}")
        if name in recipes:
            base, steps = recipes[name]
            clip = self._applied(base, steps, recipes, (*above, name))
            return clip.renamed(name)
        if "|" in name:
            base, *words = name.split("|")
            steps = self._steps([{"modifier": word} for word in words])
            return self._applied(base.strip(), steps, recipes, above)
        return self._loaded(self.capture(name))

    def _applied(
        self, base: str, steps: Sequence[Mapping[str, Any]], recipes: Mapping[str, Any], above: tuple[str, ...]
    ) -> Clip:
        """The result of modifiers applied to a clip; intermediate results are cached, so that recipes share them."""
        if not steps:
            return self._made(base, recipes, above)
        key = json.dumps([self._state(base, recipes, above), self._step_states(steps, recipes, above)])
        last = steps[-1]
        modifier = self.modifier(last["modifier"])

        def applied() -> Clip:
            clips = [self._applied(base, steps[:-1], recipes, above)]
            clips += [self._made(name, recipes, above) for name in last["inputs"]]
            given = {
                name: self._made(value, recipes, above) if name in modifier.clips else value
                for name, value in last["parameters"].items()
            }
            return modifier.made(clips, given)

        return self._cached(key, applied)

    def _step_states(
        self, steps: Sequence[Mapping[str, Any]], recipes: Mapping[str, Any], above: tuple[str, ...]
    ) -> list[Any]:
        """The steps with what the clips they name are now, so that a file that changed makes a new motion."""
        return [
            [step, [self._state(name, recipes, above) for name in _needed("", [step], self) if name]] for step in steps
        ]

    def _state(self, name: str, recipes: Mapping[str, Any], above: tuple[str, ...]) -> Any:
        if name in above or len(above) > _DEEPEST:
            raise MotionError(f"the recipe of {name} needs itself: {' of '.join((*above, name))}")
        if name in recipes:
            base, steps = recipes[name]
            inner = (*above, name)
            return [self._state(base, recipes, inner), self._step_states(steps, recipes, inner)]
        if "|" in name:
            base, *words = name.split("|")
            return [self._state(base.strip(), recipes, above), words]
        return _content(self.capture(name))

    def _loaded(self, capture: Capture) -> Clip:
        """The motion of a real clip."""
        return self._cached(_content(capture), lambda: read_motion(capture.path))

    def _cached(self, key: str, make: Callable[[], Clip]) -> Clip:
        if key not in self._kept:
            self._kept[key] = make()
            while len(self._kept) > 1 and sum(map(_bytes, self._kept.values())) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _refuse_circles(self, name: str, recipes: Mapping[str, Any], above: tuple[str, ...]) -> None:
        """Raise ``MotionError`` for a recipe that needs itself, or a clip that does not exist."""
        if name in above or len(above) > _DEEPEST:
            raise MotionError(f"the recipe of {name} needs itself: {' of '.join((*above, name))}")
        if name not in recipes:
            plain, *words = name.split("|")
            for word in words:
                self.modifier(word)
            if words:
                self._refuse_circles(plain.strip(), recipes, above)
            else:
                self.capture(name)
            return
        base, steps = recipes[name]
        for needed in _needed(base, steps, self):
            self._refuse_circles(needed, recipes, (*above, name))


def _in_words(base: str, steps: Sequence[Mapping[str, Any]]) -> str:
    """A recipe as a sentence.

    ``base`` and ``steps`` are as ``Library.define`` takes them. Returns
    ``"walk, then sync_mirror, then turn angle=90"``.
    """
    parts = [base]
    for step in steps:
        given = [f"{key}={value}" for key, value in step["parameters"].items()]
        given += [f"with {' and '.join(step['inputs'])}"] if step["inputs"] else []
        parts.append(" ".join([step["modifier"], *given]))
    return ", then ".join(parts)


def _content(capture: Capture) -> str:
    """What tells the motion of a capture from others: the content of its file, and the animation of it."""
    return _refuse_changed(capture).file.digest + str(capture.path)[len(str(file_of(capture.path))) :]


def _refuse_changed(capture: Capture) -> Capture:
    """The capture; ``MotionError`` where its file is gone or has changed since it was added."""
    try:
        same = capture.file.still_in(capture.path)
    except OSError:
        raise MotionError(
            f"{capture.path} is gone", helps="bring it back, or mocapella library check lists what is missing"
        ) from None
    if not same:
        raise MotionError(
            f"{capture.path} has changed since it was taken in", helps="mocapella library add reads it again"
        )
    return capture


def _needed(base: str, steps: Sequence[Mapping[str, Any]], shelf: Shelf) -> list[str]:
    """The clips that a recipe names."""
    out = [base] if base else []
    for step in steps:
        out += step["inputs"]
        clips = shelf.modifier(step["modifier"]).clips
        out += [value for key, value in step["parameters"].items() if key in clips]
    return out


def _names(captures: Sequence[Capture]) -> dict[str, Capture]:
    """Captures by name, those that share one by their paths."""
    counts = Counter(capture.name for capture in captures)
    return {capture.name if counts[capture.name] == 1 else str(capture.path): capture for capture in captures}


def _json(value: Any) -> Any:
    """A parameter as JSON holds it."""
    if isinstance(value, Mapping):
        return {str(key): _json(item) for key, item in value.items()}
    return [_json(item) for item in value] if isinstance(value, tuple | list) else value


def _bytes(clip: Clip) -> int:
    return int(clip.root_positions.nbytes + clip.rotations_wxyz.nbytes + clip.slides.nbytes)

"""A network played before it is handed over: nodes, edges and triangles beside the captured motions of their nodes.

All limits are without a scale: lengths are compared in leg lengths, accelerations and steps with those of the captures.
They were chosen on networks of the data folder, the game loops and the actor, see ``python -m benchmarks.strangers
check``, which plants faults in them.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mocapella.blending.network import Network
from mocapella.checks import counted
from mocapella.errors import NetworkError
from mocapella.measure.footskate import trial_corners
from mocapella.measure.motion_figures import GOES, MotionFigures
from mocapella.motion.contacts import FEET
from mocapella.motion.spectrum import Spectrum
from mocapella.motion.travel import go_one_way, stands

MOST_PLACES = 400  # that are played; about 5 ms each
_MOST_TOLD = 12  # findings of a message
_MOST_NAMED = 3  # places of a verdict
_NO_LIMIT = 0.5  # what a limit of 0 counts as when findings are ordered


class _Test(NamedTuple):
    """A figure that is compared, its limit, and what to say where it is exceeded."""

    limit: float
    unit: str
    about: str
    helps: str
    is_grave: bool = False  # the motion itself is wrong, not only its finish


_ELSEWHERE = "leave it out, or choose another part of its take"
_FEET_DISAGREE = "its feet and its travel disagree: look at its foot plants, or leave it out"
_PLANTS = "look at its foot plants"

TESTS: Mapping[str, _Test] = {
    "height": _Test(
        0.08, "leg lengths", "feet stand above or below where those of the other motions stand",
        "its ground or its unit is read wrongly: give --unit for its file, or leave it out", True,
    ),
    "posture": _Test(28.0, "°", "body is held unlike that of any other motion", _ELSEWHERE, True),
    "gait": _Test(0.0, "reasons", "is no gait", _ELSEWHERE, True),
    "plants": _Test(0.0, "feet", "feet never rest on the ground", _PLANTS, True),
    "slower": _Test(0.3, "of the captured speed", "is played slower than it was captured", _FEET_DISAGREE, True),
    "faster": _Test(0.14, "of the captured speed", "is played faster than it was captured", _FEET_DISAGREE, True),
    "bearing": _Test(18.0, "°", "is played in another direction than it was captured", _FEET_DISAGREE, True),
    "facing": _Test(26.0, "°", "goes in another direction than the others", "turn its clip to face ahead", True),
    "turn": _Test(5.0, "°/s", "turns faster or slower than captured", _PLANTS),
    "jump": _Test(4.2, "times the others", "a joint jumps once in a cycle", "repair its clip, or leave it out"),
    "joint steps": _Test(2.2, "times captured", "a joint moves in steps that the captures have not", _PLANTS),
    "knee acceleration": _Test(4.0, "times captured", "knees jerk", _PLANTS),
    "penetration": _Test(0.03, "leg lengths", "feet sink into the ground", _PLANTS),
    "floating": _Test(0.03, "leg lengths", "planted feet are above the ground", _PLANTS),
    "slip": _Test(0.006, "leg lengths", "planted feet slide", _PLANTS),
    "foreign slip": _Test(
        0.02, "leg lengths", "feet that are low and slow slide, by a measure that knows no plants",
        "plants miss a stance: look at them",
    ),
}  # fmt: skip
"""What is compared, by the name that stands in ``what``."""


@dataclass(frozen=True)
class Finding:
    """A figure of a place in a network that exceeds its limit."""

    nodes: tuple[str, ...]  # one, or those that the place lies between
    where: str  # the same as text
    what: str  # of TESTS
    figure: float
    limit: float
    unit: str
    helps: str  # what to do about it

    def to_dict(self) -> dict[str, Any]:
        """As commands print it."""
        return asdict(self)

    def __str__(self) -> str:
        about = TESTS[self.what].about
        return f"{self.where}: {about} ({self.figure:.2g} {self.unit}, limit {self.limit:g}); {self.helps}"


@dataclass(frozen=True)
class Check:
    """What playing a network showed."""

    findings: tuple[Finding, ...]
    n_places: int  # that were played

    @property
    def verdict(self) -> str:
        """How good the network is, in a sentence."""
        played = f"{counted(self.n_places, 'place')} played"
        if not self.findings:
            return f"good: {played}, all as captured"
        places = len({finding.where for finding in self.findings})
        grave = sorted({one.where for one in self.findings if TESTS[one.what].is_grave and len(one.nodes) == 1})
        if not grave:
            return f"fair: {played}, {places} of them less clean than the captures"
        return f"poor: {played}, {places} of them not as captured; look first at {', '.join(grave[:_MOST_NAMED])}"

    def lines(self) -> list[str]:
        """The verdict, then the findings in words, worst first."""
        worst = sorted(self.findings, key=lambda finding: -finding.figure / max(finding.limit, _NO_LIMIT))
        rows = [f"  {finding}" for finding in worst[:_MOST_TOLD]]
        more = [f"  and {len(worst) - _MOST_TOLD} more"] if len(worst) > _MOST_TOLD else []
        return [self.verdict, *rows, *more]

    def refuse(self) -> None:
        """Raise ``NetworkError`` where there are findings."""
        if self.findings:
            raise NetworkError("\n".join(self.lines()).replace("\n  ", "; "))


def check_network(network: Network, *, progress: Callable[[], None] = lambda: None) -> Check:
    """Play a network and compare it with the motions of its nodes.

    Nodes, the middles of edges and of triangles are played for three cycles, of large networks ``MOST_PLACES`` of them,
    nodes first. Raises ``MotionError`` where the skeleton's legs are not known.
    """
    captured = [MotionFigures.of_spectrum(node.spectrum) for node in network.nodes]
    places = trial_corners(network)
    nodes = [corners for corners in places if len(corners) == 1][:MOST_PLACES]
    blends = [corners for corners in places if len(corners) > 1]
    room = min(MOST_PLACES - len(nodes), len(blends))
    blends = [blends[i] for i in np.linspace(0, len(blends) - 1, room).round().astype(int)] if room else []
    played: dict[tuple[int, ...], MotionFigures] = {}
    for corners in [*nodes, *blends]:
        played[corners] = MotionFigures.of_place(network, corners)
        progress()
    alone = {corners[0]: look for corners, look in played.items() if len(corners) == 1}
    rows = list(_nodes(network, captured, alone))
    for corners, look in played.items():
        figures = _against(look, [captured[i] for i in corners], [alone[i] for i in corners if i in alone])
        rows += [(corners, what, figure) for what, figure in figures.items()]
    findings = []
    for corners, what, figure in rows:
        test, names = TESTS[what], tuple(network.names[i] for i in corners)
        if figure > test.limit:
            findings.append(Finding(names, " – ".join(names), what, float(figure), test.limit, test.unit, test.helps))
    return Check(tuple(findings), len(played))


def check_blocks(networks: Mapping[str, Network], *, progress: Callable[[], None] = lambda: None) -> Check:
    """The same for networks that belong together, such as the blocks of a hybrid network; places say which."""
    checks = {name: check_network(network, progress=progress) for name, network in networks.items()}
    findings = [
        replace(finding, where=f"{name}: {finding.where}" if name else finding.where)
        for name, check in checks.items()
        for finding in check.findings
    ]
    return Check(tuple(findings), sum(check.n_places for check in checks.values()))


_Row = tuple[tuple[int, ...], str, float]


def _nodes(network: Network, captured: Sequence[MotionFigures], alone: Mapping[int, MotionFigures]) -> Iterator[_Row]:
    """Figures of nodes beside the other nodes."""
    moving = [i for i in alone if not stands(network.nodes[i].spectrum)]
    spectra = [network.nodes[i].spectrum for i in moving]
    one_way = all(go_one_way(spectrum, spectra[0]) for spectrum in spectra)
    sunk = {i: look.height - captured[i].height for i, look in alone.items()}
    for i, look in alone.items():
        if rest := [value for other, value in sunk.items() if other != i]:
            yield (i,), "height", abs(sunk[i] - float(np.median(rest)))
        if i not in moving:
            continue
        others = [alone[other] for other in moving if other != i]
        yield (i,), "plants", _never_planted(network.nodes[i].spectrum)
        yield (i,), "gait", len(look.why_no_gait)
        yield (i,), "jump", look.jump(others)
        if others:
            yield (i,), "posture", min(look.unlike(other) for other in others)
        if others and one_way:
            usual = sum(other.velocity / max(abs(other.velocity), GOES) for other in others)
            yield (i,), "facing", _degrees_between(look.velocity, usual)


def _against(
    look: MotionFigures, captured: Sequence[MotionFigures], corners: Sequence[MotionFigures]
) -> dict[str, float]:
    """Figures of a played place beside the captured motions of its nodes, and beside these as they are played."""
    velocity = complex(np.mean([one.velocity for one in captured]))
    speeds = [abs(one.velocity) for one in (corners if len(captured) > 1 else captured)] or [abs(velocity)]
    least, most = min(*speeds, abs(velocity)), max(speeds)
    out = {
        "turn": abs(look.turn - float(np.mean([one.turn for one in captured]))),
        "joint steps": float((look.steps / np.max([one.steps for one in captured], axis=0)).max()),
        "knee acceleration": look.knees / max(one.knees for one in captured),
        "penetration": look.feet.penetration / look.leg,
        "floating": look.feet.floating / look.leg,
        "slip": look.feet.slip_mm_max / 1000.0 / look.leg,
        "foreign slip": look.low_and_slow.slip_mm_mean / 1000.0 / look.leg,
    }
    if most >= GOES:
        speed = abs(look.velocity)
        out |= {"slower": 1.0 - speed / max(least, GOES), "faster": speed / most - 1.0}
    if min(abs(velocity), abs(look.velocity)) >= GOES:
        out["bearing"] = _degrees_between(look.velocity, velocity)
    return out


def _degrees_between(way: complex, other: complex) -> float:
    return abs(math.degrees(cmath.phase(way * other.conjugate())))


def _never_planted(spectrum: Spectrum) -> int:
    """How many feet of a motion are never planted."""
    contacts = spectrum.contacts
    return sum(contacts is None or not contacts.foot(foot) for foot in FEET)

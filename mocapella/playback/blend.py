"""What follows from network, settings and state: the blend, and the motion that carries the body; kept while needed.

Caches are bounded and keyed by all that a value depends on, so whether something was kept changes no result.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.errors import MotionError
from mocapella.hybrid.network import HybridNetwork
from mocapella.hybrid.transition import Transition
from mocapella.motion.layout import HEIGHT, N_ROOT_DOFS
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.capture import ClipOnGround, clip_on_ground
from mocapella.playback.gaits import cycle_by_feet, cycle_by_root
from mocapella.playback.handover import OffsetMotion, RootMotion, advance_root
from mocapella.playback.modes import network_of, version_of
from mocapella.playback.motion_on_ground import CycleOnGround, GroundMotion, Playhead, dofs_at
from mocapella.playback.own_time import OwnTimeNodes, OwnTimeOffset, own_time_nodes
from mocapella.playback.pointer import Blended, Blender, PointState, blended
from mocapella.playback.settings import PlayerSettings
from mocapella.playback.state import DrawnPose, PlayerState
from mocapella.rig.legs import Leg, leg_dofs, legs_of

Playable = Blender | Spectrum | HybridNetwork
_REMEMBERED = 1024  # blends, of some 40 kB each: every character needs its last one
_JOINS_REMEMBERED = 64  # motions with an offset laid over them

_Value = TypeVar("_Value")


def changing(state: PlayerState) -> bool:
    """Whether a captured change is being played."""
    return state.hybrid is not None and state.hybrid.state == "change"


class Blend(NamedTuple):
    """What is blended at the point of a state."""

    network: Blender | Spectrum
    aim: Place | None  # where the point is, or has slid to along the outline; None in what is no network
    spot: Place | None  # what is blended: the same, unless old weights fade
    spectrum: Spectrum
    own: OwnTimeNodes | None
    cycle: CycleOnGround  # of what is on the common clock

    @property
    def place(self) -> Place:
        """Where the point lies in a network of triangles."""
        assert self.spot is not None
        return self.spot


class _Recent(dict[tuple[object, ...], tuple[_Value, object]], Generic[_Value]):
    """Values by what they are made of; owners of ids among that are kept with the value, so that ids stay theirs."""

    def keep(self, key: tuple[object, ...], value: _Value, owners: object, most: int) -> _Value:
        """Keep a value, and no more than so many."""
        if len(self) >= most:
            del self[next(iter(self))]
        self[key] = value, owners
        return value


_blends: _Recent[Blend] = _Recent()
_offset_motions: _Recent[OffsetMotion] = _Recent()


def blend_of(network: Playable, settings: PlayerSettings, state: PlayerState) -> Blend:
    """The blend of a state, worked out once."""
    inner, at = open_network(network, state), state.point
    known = _blends.get(_key(inner, settings, at))
    if known is not None:
        return known[0]
    if at.aim is None:
        return remembered(inner, settings, blended(inner, at, settings))
    assert isinstance(inner, Network)
    aim = at.aim.place
    place = aim if at.fade is None else at.fade.towards(aim, inner, settings.fade)
    return remembered(inner, settings, Blended(at, aim, place, inner.blend(place)))


def remembered(
    network: Blender | Spectrum, settings: PlayerSettings, point: Blended, instead: PointState | None = None
) -> Blend:
    """The blend at a point, kept from now on; the one that a character needs ``instead`` of it no more is not."""
    if instead is not None:
        _blends.pop(_key(network, settings, instead), None)
    own = own_time_nodes(network)
    spectrum = clocked(point.spectrum, own, point.place)
    layout = spectrum.layout  # of a block that may be written in other dofs than the last
    if settings.feet == "velocity" or layout is None:
        cycle = cycle_by_root(spectrum, settings)
    else:
        cycle = cycle_by_feet(spectrum, leg_dofs(layout), settings)
    blend = Blend(network, point.aim, point.place, point.spectrum, own, cycle)
    return _blends.keep(_key(network, settings, point.at), blend, settings, _REMEMBERED)


def _key(network: Blender | Spectrum, settings: PlayerSettings, at: PointState) -> tuple[object, ...]:
    """What a blend depends on."""
    return id(network), id(settings), at.point if at.aim is None else at.aim, at.fade


def open_network(network: Playable, state: PlayerState) -> Blender | Spectrum:
    """What the blending point of a state moves in: of a hybrid network, what is open of its block."""
    if not isinstance(network, HybridNetwork):
        return network
    here = state.hybrid
    assert here is not None
    return network_of(network, here.block, here.open_mode, here.taken)


def base_motion(network: Playable, settings: PlayerSettings, state: PlayerState) -> GroundMotion:
    """The motion that carries the body: the blend, or the clip of a captured change."""
    if not changing(state):
        return blend_of(network, settings, state).cycle
    return change_on_ground(transition_of(network, state), settings)


def change_on_ground(change: Transition, settings: PlayerSettings) -> ClipOnGround:
    """The way of a captured change over the ground; held feet are not to bear the tremor of a capture."""
    footed = settings.feet != "velocity"
    return clip_on_ground(change.steady if footed else change.clip, change.contacts, footed, settings)


def own_offset(blend: Blend, state: PlayerState) -> OwnTimeOffset | None:
    """What nodes with their own time added to the last pose; None where there are none."""
    if state.drawn is not None:
        drawn = state.drawn
        return OwnTimeOffset(np.array(drawn.own_dofs), drawn.own_path, drawn.own_yaw) if drawn.own_dofs else None
    return None if blend.own is None else blend.own.over(blend.place, state.clocks)


def sway(over: OwnTimeOffset | None, head: Playhead, settings: PlayerSettings) -> tuple[float, float]:
    """What nodes with their own time add to the place of the root (x, z); an anchor makes its own of it."""
    return (0.0, 0.0) if over is None or settings.feet == "anchored" else over.place(head.yaw)


@lru_cache(maxsize=64)
def known_legs(skeleton: Skeleton) -> tuple[Leg, Leg]:
    """The legs of a skeleton; an error says how to play one without."""
    try:
        return legs_of(skeleton)
    except MotionError as error:
        text = f"{error}; or let the blended root lead: feet='velocity'"
        raise MotionError(text, option=error.option) from None


def legs_in(blend: Blend, settings: PlayerSettings) -> tuple[Leg, Leg] | None:
    """The left and the right leg of what is blended; None where feet are not looked after."""
    layout = blend.cycle.spectrum.layout
    assert layout is not None
    return None if settings.feet == "velocity" else known_legs(layout.skeleton)


def offset_motion(root: RootMotion, base: GroundMotion, legs: tuple[Leg, Leg] | None) -> GroundMotion:
    """A motion with what is left of the one before laid over it."""
    offset = root.offset
    if offset is None:
        return base
    key = id(base), id(offset), root.laid, id(legs)
    known = _offset_motions.get(key)
    if known is not None:
        return known[0]
    return _offset_motions.keep(key, OffsetMotion(base, offset, *root.laid, legs), legs, _JOINS_REMEMBERED)


def transition_of(network: Playable, state: PlayerState) -> Transition:
    """What is waited for or played."""
    assert isinstance(network, HybridNetwork)
    assert state.hybrid is not None
    assert state.hybrid.arc is not None
    return version_of(network, state.hybrid.arc).transition


def clocked(spectrum: Spectrum, own: OwnTimeNodes | None, place: Place | None) -> Spectrum:
    """What of a blend is on the common clock."""
    return spectrum if own is None or place is None else own.without(spectrum, place)


class Drawn(NamedTuple):
    """What the last pose was made of."""

    dofs: Float[np.ndarray, " dofs"]
    own: OwnTimeNodes | None
    over: OwnTimeOffset | None
    state: PlayerState

    @classmethod
    def of(cls, blend: Blend, state: PlayerState) -> Drawn:
        """What the last pose of a state was made of."""
        drawn = state.drawn
        dofs = blend.cycle.dofs(state.root.head.phase) if drawn is None else np.array(drawn.dofs)
        return cls(dofs, blend.own, own_offset(blend, state), state)

    def load(self, spectrum: Spectrum, place: Place | None, settings: PlayerSettings, dt: float) -> float:
        """How many times more a change of motion is than a body can make in ``dt`` seconds on top of moving."""
        apart = dofs_at(spectrum, self.state.root.head.phase) - self.dofs
        if self.over is not None and self.own is not None and place is not None:
            apart += self.own.over(place, self.state.clocks).dofs - self.over.dofs
        turned = 2.0 * float(np.maximum.reduce(np.abs(apart[:-N_ROOT_DOFS])))
        most = max(turned / settings.agility, abs(float(apart[HEIGHT])) / settings.rise)
        return most / max(dt, 1e-9)


def drawn_pose(dofs: Float[np.ndarray, " dofs"], over: OwnTimeOffset | None) -> DrawnPose:
    """What a pose is made of, as numbers."""
    if over is None:
        return DrawnPose(tuple(dofs.tolist()))
    return DrawnPose(tuple(dofs.tolist()), tuple(over.dofs.tolist()), over.path, over.yaw)


def advanced(
    settings: PlayerSettings, state: PlayerState, motion: GroundMotion, own: OwnTimeNodes | None, dt: float
) -> PlayerState:
    """The state ``dt`` seconds later in the same motion."""
    root = advance_root(state.root, motion, settings, dt)
    clocks = state.clocks if own is None else own.advanced(state.clocks, dt)
    return PlayerState(state.point, root, state.locks, state.hybrid, clocks, state.time + dt, state.drawn)

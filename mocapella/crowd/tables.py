"""A network packed for a crowd: harmonics, triangles, gaits and legs as arrays of single precision."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from jaxtyping import Float, Int

from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import footless
from mocapella.blending.volume import Volume
from mocapella.checks import shown
from mocapella.crowd.cutting.deriving import derived
from mocapella.crowd.cutting.pieces import Pieces, Shares, pieces_of
from mocapella.crowd.gaits import Gaits
from mocapella.errors import MotionError
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion.layout import HEIGHT, N_ROOT_DOFS, Layout
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum, why_unplayable
from mocapella.playback.settings import DEFAULTS, PlayerSettings
from mocapella.rig.legs import Leg, legs_of
from mocapella.rig.roles import find_roles

N_FOOT_DOFS = 8  # where the four foot points are over the ground, seen from the root
_MOST_HARMONICS = 32  # as many as the kernels have room for
_NOISY = ("spine", "chest", "neck", "left_shoulder", "right_shoulder")
_PHASES = np.arange(16) * (2.0 * np.pi / 16)  # at which motions are compared


@dataclass(frozen=True, eq=False)
class CrowdTables:
    """All that does not change while a crowd plays.

    Columns of the coefficients: quaternions of the joints that move ankles, height, velocity ahead and to the left, yaw
    rate; quaternions of feet and toes, then of the other joints, those that carry most first; the foot points over the
    ground.
    """

    skeleton: Skeleton
    legs: tuple[Leg, Leg]
    settings: PlayerSettings
    points: Float[np.ndarray, "corners 2"]  # about the centre, in sizes
    centre: tuple[float, float]  # of the network
    size: float  # of it: the larger one of width and height
    triangles: Int[np.ndarray, "triangles 3"]
    neighbours: Int[np.ndarray, "triangles 3"]
    maps: Float[np.ndarray, "triangles 3 3"]
    coefficients: Float[np.ndarray, "corners parts columns"]  # cosines and sines by turns, the mean first
    n_plain: int  # columns before the quaternions of joints that move no ankle
    n_columns: int  # without the foot points and the padding
    columns: Int[np.ndarray, " joints"]  # where each joint's quaternion begins
    first: int  # the lowest harmonic whose energy is kept
    energies: Float[np.ndarray, "corners upper"]
    products: Float[np.ndarray, "triangles upper 6"]  # of corners' upper harmonics: 00 11 22 01 02 12
    seconds: Float[np.ndarray, "triangles 3"]  # to go from one corner to another: 0–1, 1–2, 2–0
    parts: int  # of an edge of a triangle
    gaits: Float[np.ndarray, "triangles vertices numbers"]
    n_plants: int
    rates: Float[np.ndarray, "triangles vertices 2"]  # turn rate, rad/s, and speed, m/s

    @classmethod
    def of(
        cls, network: Network | Spectrum | HybridNetwork, settings: PlayerSettings = DEFAULTS, *, coarse: bool = False
    ) -> CrowdTables:
        """The tables of a network, made once for each.

        Set ``coarse`` to derive as few gaits as will do: sooner made, for what is not played for long. Raises
        ``MotionError`` for what has no plane, no layout or no legs.
        """
        if isinstance(network, Spectrum):
            if unplayable := why_unplayable(network):
                raise MotionError(f"what a crowd plays {unplayable}")
            network = _alone(network)
        if isinstance(network, HybridNetwork | Volume) or not isinstance(network, Network):
            helps = "load it first: mo.load('net.moca')" if isinstance(network, str) else None
            if isinstance(network, HybridNetwork | Volume):
                helps = "take one of its blocks" if isinstance(network, HybridNetwork) else "a Player plays it"
            raise MotionError(expected="a network in the plane, or a spectrum", got=shown(network), helps=helps)
        if network.layout is None:
            raise MotionError("these harmonics have no layout, so they are not the motion of a skeleton")
        if network.n_harmonics > _MOST_HARMONICS:
            text = f"a crowd plays up to {_MOST_HARMONICS} harmonics, the network has {network.n_harmonics}"
            raise MotionError(text, helps="make it with harmonics=10")
        return _packed(network, settings, coarse)

    def __deepcopy__(self, memo: object) -> CrowdTables:
        return self  # they never change

    @property
    def n_joints(self) -> int:
        """How many joints a character has."""
        return self.skeleton.n_joints

    @property
    def n_harmonics(self) -> int:
        """How many harmonics are played."""
        return int((self.coefficients.shape[1] - 1) // 2)

    @property
    def n_bytes(self) -> int:
        """Bytes of all tables."""
        tables = self.coefficients, self.gaits, self.energies, self.products, self.maps, self.seconds
        return sum(table.nbytes for table in tables)

    @cached_property
    def noisy_columns(self) -> Int[np.ndarray, " some"]:
        """Where the quaternions of joints begin that noise turns: trunk, neck and shoulders, which move no ankle."""
        roles = find_roles(self.skeleton)
        joints = dict.fromkeys(roles[name] for name in _NOISY if name in roles)
        columns = [int(self.columns[joint]) for joint in joints]
        return owned(np.array([column for column in columns if column >= self.n_plain], dtype=np.int32))

    @cached_property
    def n_legs(self) -> int:
        """How many joints move ankles or are part of feet: those that are drawn at every level of detail."""
        feet = _feet(self.skeleton, self.legs)
        return sum(bool(column < self.n_plain) or joint in feet for joint, column in enumerate(self.columns.tolist()))

    @cached_property
    def order(self) -> Int[np.ndarray, " joints"]:
        """Joints from those that are drawn at every level of detail to those that are frozen first."""
        return owned(np.argsort(self.columns, kind="stable"))


@lru_cache(maxsize=8)
def _alone(spectrum: Spectrum) -> Network:
    return Network([Node(spectrum.name or "motion", (0.0, 0.0), spectrum)])


@lru_cache(maxsize=32)
def _packed(network: Network, settings: PlayerSettings, coarse: bool) -> CrowdTables:
    pieces = pieces_of(network, coarse=coarse)
    layout = pieces.spectra[0].layout
    assert layout is not None
    legs = legs_of(layout.skeleton)
    blends, vertices = pieces.vertices()
    lateness = np.array([_mean(shares, pieces.lateness, pieces.parts) for shares in blends])
    gaits = Gaits(derived(pieces, blends, settings), lateness, legs, settings)
    coefficients, n_plain, columns = _coefficients(pieces, layout, gaits, blends)
    free = footless(layout).astype(bool)
    upper = np.stack([spectrum.coefficients[pieces.first :] for spectrum in pieces.spectra])[:, :, free]
    orders = np.arange(pieces.first, pieces.first + upper.shape[1])
    upper = upper * np.exp(1j * pieces.lateness[:, None] * orders)[..., None]
    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    three = upper[pieces.corners]
    products = np.stack([(three[:, a] * three[:, b].conj()).real.sum(axis=-1) for a, b in pairs], axis=-1)
    return CrowdTables(
        skeleton=layout.skeleton,
        legs=legs,
        settings=settings,
        points=_single(pieces.points),
        centre=pieces.centre,
        size=pieces.size,
        triangles=owned(pieces.corners.astype(np.int32)),
        neighbours=owned(pieces.neighbours.astype(np.int32)),
        maps=_single(pieces.maps),
        coefficients=coefficients,
        n_plain=n_plain,
        n_columns=layout.n_dofs,
        columns=columns,
        first=pieces.first,
        energies=_single((np.abs(upper) ** 2).sum(axis=-1)),
        products=_single(products),
        seconds=_single(_seconds(pieces, settings)),
        parts=pieces.parts,
        gaits=_single(gaits.rows(vertices)),
        n_plants=gaits.n_plants,
        rates=_single(gaits.rates[vertices]),
    )


def _mean(shares: Shares, values: Float[np.ndarray, " corners"], parts: int) -> float:
    return sum(count * float(values[corner]) for corner, count in shares) / parts


def _single(values: np.ndarray) -> np.ndarray:
    return owned(np.ascontiguousarray(values, dtype=np.float32))


def _coefficients(
    pieces: Pieces, layout: Layout, gaits: Gaits, blends: list[Shares]
) -> tuple[Float[np.ndarray, "corners parts columns"], int, Int[np.ndarray, " joints"]]:
    """Harmonics of all corners as cosines and sines in the order of the tables' columns, and what begins where."""
    skeleton, free = layout.skeleton, footless(layout)
    plain = [joint for joint in range(skeleton.n_joints) if not free[4 * joint]]
    others = [joint for joint in range(skeleton.n_joints) if free[4 * joint]]
    standing = _feet(skeleton, legs_of(skeleton))
    others.sort(key=lambda joint: (joint not in standing, -_carried(skeleton, joint), joint))
    root = list(range(layout.n_dofs - N_ROOT_DOFS, layout.n_dofs))
    order = [4 * joint + k for joint in plain for k in range(4)] + root
    n_plain = len(order)
    order += [4 * joint + k for joint in others for k in range(4)]
    columns = np.empty(skeleton.n_joints, dtype=np.int32)
    columns[plain] = 4 * np.arange(len(plain))
    columns[others] = n_plain + 4 * np.arange(len(others))
    n_rows = pieces.spectra[0].n_harmonics + 1
    stride = (len(order) + N_FOOT_DOFS + 15) // 16 * 16
    out = np.zeros((len(pieces.spectra), 2 * n_rows - 1, stride), dtype=np.float32)
    alone = {shares[0][0]: blend for blend, shares in enumerate(blends) if len(shares) == 1}
    feet = dict(zip(alone, gaits.foot_signals(list(alone.values()), n_rows - 1), strict=True))
    for corner, spectrum in enumerate(pieces.spectra):
        harmonics = np.zeros((n_rows, stride), dtype=np.complex128)
        harmonics[:, : len(order)] = spectrum.coefficients[:, order]
        if corner in feet:  # else no triangle has it
            harmonics[:, len(order) : len(order) + N_FOOT_DOFS] = feet[corner]
        harmonics *= np.exp(1j * pieces.lateness[corner] * np.arange(n_rows))[:, None]
        out[corner, 0] = harmonics[0].real
        out[corner, 1::2], out[corner, 2::2] = 2.0 * harmonics[1:].real, -2.0 * harmonics[1:].imag
    return owned(out), n_plain, owned(columns)


def _feet(skeleton: Skeleton, legs: tuple[Leg, Leg]) -> frozenset[int]:
    """The joints of feet and toes: ankles, and all that hangs on them."""
    ankles = {leg.joints[-1] for leg in legs}
    return frozenset(joint for joint in range(skeleton.n_joints) if ankles & set(skeleton.path(joint)))


def _carried(skeleton: Skeleton, joint: int) -> float:
    """The length of all that hangs on a joint, metres: what is seen to move when it turns."""
    hanging = [other for other in range(skeleton.n_joints) if other != joint and joint in skeleton.path(other)]
    ends = skeleton.end_offsets[np.isin(skeleton.end_joints, [joint, *hanging])]
    lengths = np.linalg.norm(skeleton.offsets[hanging], axis=-1).sum() + np.linalg.norm(ends, axis=-1).sum()
    return round(float(lengths), 6)


def _seconds(pieces: Pieces, settings: PlayerSettings) -> Float[np.ndarray, "triangles 3"]:
    """How long a body needs at least to go over from each corner's motion to the next one's."""
    poses = np.stack([spectrum.at(_PHASES) for spectrum in pieces.spectra])
    out = np.zeros((len(pieces.corners), 3))
    for triangle, corners in enumerate(pieces.corners.tolist()):
        for i in range(3):
            apart = np.abs(poses[corners[i]] - poses[corners[(i + 1) % 3]])
            turned = 2.0 * float(apart[:, :-N_ROOT_DOFS].max()) / settings.agility
            out[triangle, i] = max(turned, float(apart[:, HEIGHT].max()) / settings.rise)
    return out

"""Spectrum: a cycle as its harmonics, and the synthesis of motion from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

import numpy as np
from jaxtyping import Complex, Float

from mocapella.arrays import freeze, owned
from mocapella.checks import counted, explained, finite_number, real_or_nan, shown
from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN
from mocapella.inline import ShownInline
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.layout import AHEAD, LEFT, YAW_RATE, Layout

SHORTEST, LONGEST = 1e-6, 1e6  # seconds per cycle of what is played: a microsecond, eleven days
LARGEST = 1e12  # radians, metres: what is larger is no motion, and its square soon no number at all
NO_MAGNITUDE = 1e-12  # radians, metres: what is smaller is rounding, and has no phase angle


def harmonic_ceiling(n_frames: int) -> int:
    """The highest harmonic that frames determine in size and phase angle.

    Examples
    --------
    >>> harmonic_ceiling(30), harmonic_ceiling(31)
    (14, 15)
    """
    return (n_frames + 1) // 2 - 1


def refuse_no_count(harmonics: object) -> None:
    """Raise ``MotionError`` unless this is a number of harmonics: a whole number from 0 on."""
    if not isinstance(harmonics, int | np.integer) or harmonics < 0:
        raise MotionError(f"expected a whole number of harmonics from 0 on, got {harmonics!r}")


def waves(phases: Float[np.ndarray, "*batch"], n_harmonics: int) -> Complex[np.ndarray, "*batch harmonics"]:
    """The factors of harmonics at cycle phases: 1 for the mean, 2 exp(ihθ) for harmonic h.

    The real part of ``waves(phases, h) @ coefficients`` is the motion; each harmonic stands for itself and for its
    mirror image among the negative ones.
    """
    out = np.exp(np.asarray(phases)[..., None] * _turning(n_harmonics))
    out[..., 1:] *= 2.0
    return np.asarray(out)


@cache
def _turning(n_harmonics: int) -> Complex[np.ndarray, " harmonics"]:
    return owned(1j * np.arange(n_harmonics + 1))


def why_unplayable(spectrum: Spectrum) -> str:
    """Why a spectrum cannot be played: a duration or numbers out of all bounds.

    Returns the end of a sentence about it; empty where it can be played.
    """
    if not SHORTEST <= spectrum.duration <= LONGEST:
        return f"lasts {spectrum.duration:g} s; expected {SHORTEST:g} to {LONGEST:g} s"
    if not np.vdot(spectrum.coefficients, spectrum.coefficients).real <= LARGEST**2:
        return f"has numbers beyond {LARGEST:g}, which no motion has"
    return ""


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Spectrum(ShownInline):
    """One cycle of motion as harmonics: ``np.fft.rfft(dofs, axis=0, norm="forward")``.

    The motion at cycle phase θ is ``c[0] + 2 Re Σ c[h] exp(ihθ)``. A spectrum made of spectra, such as a difference of
    two, may have any duration; one that is played lasts a microsecond to eleven days, see ``why_unplayable``.

    Parameters
    ----------
    coefficients
        Of the harmonics from 0, the mean, on.
    duration
        Seconds per cycle.
    layout
        How dofs make a pose; None for signals that make none.
    contacts
        Foot plants, if known.
    name
        Of the motion.

    Examples
    --------
    >>> swing = Spectrum(np.array([[0.0], [0.5j]]), duration=1.0)
    >>> swing.at(np.array([0.0, np.pi / 2])).ravel().round(6).tolist()
    [0.0, -1.0]
    """

    coefficients: Complex[np.ndarray, "harmonics dofs"]
    duration: float
    layout: Layout | None = None
    contacts: CycleContacts | None = None
    name: str = ""

    def __post_init__(self) -> None:
        freeze(self, np.complex128, "coefficients")
        if self.coefficients.ndim != 2:
            shape = self.coefficients.shape
            raise MotionError(expected="coefficients of shape (harmonics, dofs)", got=f"shape {shape}")
        if len(self.coefficients) == 0:
            raise MotionError("a spectrum holds at least harmonic 0, the mean")
        # One product checks all: the sum of squares is finite if all numbers are, unless it overflows.
        sound = math.isfinite(np.vdot(self.coefficients, self.coefficients).real)
        if not ((sound or np.isfinite(self.coefficients).all()) and math.isfinite(real_or_nan(self.duration))):
            raise MotionError("coefficients and duration must be finite numbers")
        if self.layout is not None and self.layout.n_dofs != self.n_dofs:
            raise MotionError(f"{self.layout!r} cannot say what {self.n_dofs} dofs mean")

    @classmethod
    def unchecked(
        cls,
        coefficients: Complex[np.ndarray, "harmonics dofs"],
        duration: float,
        layout: Layout | None,
        contacts: CycleContacts | None,
        name: str = "",
    ) -> Spectrum:
        """A spectrum of parts that are known to be valid and frozen, such as a mix of others, without a check.

        ``coefficients``, ``duration``, ``layout``, ``contacts`` and ``name`` are as in the class.

        A character that is steered makes a new one at every step.
        """
        spectrum: Spectrum = object.__new__(cls)
        parts = {"coefficients": coefficients, "duration": duration, "layout": layout, "contacts": contacts}
        spectrum.__dict__.update(parts, name=name)
        return spectrum

    @property
    def n_harmonics(self) -> int:
        """The highest harmonic kept; the mean is not counted."""
        return len(self.coefficients) - 1

    @property
    def n_dofs(self) -> int:
        """How many dofs there are."""
        return int(self.coefficients.shape[1])

    @cached_property
    def magnitudes(self) -> Float[np.ndarray, "harmonics dofs"]:
        """The sizes of the coefficients; a sinusoid of magnitude m swings by 2 m to either side of the mean."""
        return owned(np.abs(self.coefficients))

    @cached_property
    def phase_angles(self) -> Float[np.ndarray, "harmonics dofs"]:
        """Where each sinusoid stands at cycle phase 0, −π … π; 0 where there is no magnitude (below 1e-12).

        Harmonic 0 is a mean with a sign, not a phase: its angle is 0 or π.
        """
        return owned(np.where(self.magnitudes < NO_MAGNITUDE, 0.0, np.angle(self.coefficients)))

    def dof(self, name: str) -> Complex[np.ndarray, " harmonics"]:
        """The coefficients of one dof, by its name in the layout."""
        return self.coefficients[:, self._layout.index(name)]

    def only(self, *names: str) -> Spectrum:
        """A spectrum of these dofs alone, in this order; it no longer makes a pose."""
        columns = [self._layout.index(name) for name in names]
        return replace(self, coefficients=self.coefficients[:, columns], layout=None, contacts=None)

    def starting_at(self, phase: float) -> Spectrum:
        """The same motion, begun ``phase`` radians into its cycle."""
        phase = finite_number(phase, "a phase to begin at, radians")
        turns = np.exp(1j * phase * np.arange(len(self.coefficients)))
        contacts = None if self.contacts is None else self.contacts.starting_at(phase)
        return replace(self, coefficients=turns[:, None] * self.coefficients, contacts=contacts)

    def truncated(self, harmonics: int) -> Spectrum:
        """The motion without the harmonics above ``harmonics``; asking for more than there are changes nothing."""
        refuse_no_count(harmonics)
        return replace(self, coefficients=self.coefficients[: harmonics + 1])

    def at(self, phases: Float[np.ndarray, "*batch"]) -> Float[np.ndarray, "*batch dofs"]:
        """The dofs at any cycle phases, by one matrix product."""
        factors = waves(phases, self.n_harmonics)
        if factors.ndim == 1:
            return np.asarray((factors @ self.coefficients).real)
        parts = np.concatenate([factors.real, -factors.imag[..., 1:]], axis=-1)
        return np.asarray(parts @ _stacked(self.coefficients))  # one real product, as in whole_cycle

    def frames(self, count: int) -> Float[np.ndarray, "count dofs"]:
        """The dofs in ``count`` even steps round the cycle, from cycle phase 0 on."""
        return whole_cycle(self.coefficients, count)

    def contribution(self, harmonic: int, phases: Float[np.ndarray, "*batch"]) -> Float[np.ndarray, "*batch dofs"]:
        """The contribution of one harmonic to the motion; the sum of all contributions is the motion."""
        if not 0 <= harmonic <= self.n_harmonics:
            raise MotionError(f"there is no harmonic {harmonic}; the spectrum goes from 0 to {self.n_harmonics}")
        factors = waves(phases, self.n_harmonics)[..., harmonic]
        return np.asarray((factors[..., None] * self.coefficients[harmonic]).real)

    def derivative(self) -> Spectrum:
        """How fast every dof changes, per second: the same harmonics, turned a quarter and scaled.

        Columns are those of this spectrum, but they no longer make a pose, so layout and contacts are left behind.
        """
        speeds = 2j * np.pi * np.arange(len(self.coefficients)) / self._positive_duration
        return replace(self, coefficients=speeds[:, None] * self.coefficients, layout=None, contacts=None)

    def integral_at(self, phases: Float[np.ndarray, "*batch"]) -> Float[np.ndarray, "*batch dofs"]:
        """The integral over time of every dof from cycle phase 0; ``phases`` may run over many cycles.

        The column of the yaw rate gives the heading, without the accumulated error of adding up frames.
        """
        phases = np.asarray(phases)
        harmonics = np.arange(1, len(self.coefficients))
        swings = 2.0 * (np.exp(1j * phases[..., None] * harmonics) - 1.0) / (1j * harmonics)
        total = phases[..., None] * self.coefficients[0].real + (swings @ self.coefficients[1:]).real
        return np.asarray(total * self._positive_duration / TURN)

    @property
    def turn(self) -> float:
        """Change of heading per cycle, radians, left positive."""
        self._layout.index("yaw_rate")
        return float(self.coefficients[0, YAW_RATE].real) * self.duration

    @property
    def speed(self) -> float:
        """Mean speed over the ground in the character's heading, m/s."""
        return float(np.hypot(*self.velocity))

    @property
    def velocity(self) -> tuple[float, float]:
        """Mean velocity over the ground, m/s: to the left of the character's heading, and ahead in it."""
        self._layout.index("ahead")
        return float(self.coefficients[0, LEFT].real), float(self.coefficients[0, AHEAD].real)

    def __add__(self, other: Spectrum) -> Spectrum:
        """The sum of two motions, harmonic by harmonic and in duration; contacts and name are the first one's.

        Harmonics that only one of them has are left out.
        """
        return self._combined(other, 1.0)

    def __sub__(self, other: Spectrum) -> Spectrum:
        """The difference of two motions, harmonic by harmonic: ``slow + (turning − straight)`` is a slow turn."""
        return self._combined(other, -1.0)

    def __mul__(self, factor: float | int) -> Spectrum:
        """The motion scaled by ``factor``, its duration as well."""
        return replace(self, coefficients=factor * self.coefficients, duration=factor * self.duration)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        label = f"{self.name!r}, " if self.name else ""
        harmonics, dofs = counted(self.n_harmonics, "harmonic"), counted(self.n_dofs, "dof")
        return f"Spectrum({label}{harmonics} of {dofs}, {self.duration:.3f} s)"

    def _combined(self, other: Spectrum, sign: float) -> Spectrum:
        alike = (self.layout is None) == (other.layout is None) and self.n_dofs == other.n_dofs
        if self.layout is not None and other.layout is not None:
            alike = self.layout.same_as(other.layout)
        if not alike:
            raise MotionError(f"{other!r} has other dofs than {self!r}; only motions of one skeleton and layout mix")
        rows = min(len(self.coefficients), len(other.coefficients))
        coefficients = self.coefficients[:rows] + sign * other.coefficients[:rows]
        return replace(self, coefficients=coefficients, duration=self.duration + sign * other.duration)

    @property
    def _layout(self) -> Layout:
        if self.layout is None:
            raise MotionError("these harmonics have no layout, so their dofs have no names")
        return self.layout

    @property
    def _positive_duration(self) -> float:
        if self.duration <= 0.0:
            raise MotionError(f"a motion that is played lasts longer than 0 s, this one {self.duration:g} s")
        return self.duration


def whole_cycle(coefficients: Complex[np.ndarray, "harmonics dofs"], frames: int) -> Float[np.ndarray, "frames dofs"]:
    """The dofs of one cycle in even steps.

    As many harmonics as are given are used, even beyond what the frames could tell apart.

    Equal to ``Spectrum.at`` for phases 2πn / ``frames``. ``coefficients`` are as in ``Spectrum``.
    """
    if not isinstance(frames, int | np.integer) or frames < 1:
        raise MotionError(f"expected a whole number of frames, at least one, got {shown(frames)}")
    # One real product of stacked parts: a complex one would compute twice as much as is needed, two of strided parts
    # take half as long again.
    cycle: np.ndarray = _cycle_waves(frames, len(coefficients) - 1).dot(_stacked(coefficients))
    return cycle


def _stacked(coefficients: Complex[np.ndarray, "harmonics dofs"]) -> Float[np.ndarray, "parts dofs"]:
    """The real parts of all harmonics, then the imaginary ones of those from 1 on: that of the mean moves nothing."""
    return np.concatenate((coefficients.real, coefficients.imag[1:]))


@lru_cache(maxsize=64)
def _cycle_waves(frames: int, n_harmonics: int) -> Float[np.ndarray, "frames parts"]:
    """The matrix from stacked parts of harmonics to even steps round a cycle."""
    factors = waves(TURN * np.arange(frames) / frames, n_harmonics)
    return owned(np.concatenate([factors.real, -factors.imag[:, 1:]], axis=1))

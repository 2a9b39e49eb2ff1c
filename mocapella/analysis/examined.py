"""Facts about a clip, each computed once: faults, noise, sound stretches, foot tracks, plants, the clip repaired."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Bool

from mocapella.analysis.cycles.loop import is_drawn
from mocapella.analysis.plants.tracks import FootTracks, resting, track_feet
from mocapella.analysis.regression.fit import Fit, fits_of
from mocapella.analysis.regression.noise import Noise, noise_of
from mocapella.cleaning.faults import CODES, Soundness, find_faults, sound_stretches, without_held
from mocapella.cleaning.repair import repaired
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.report import Finding
from mocapella.rig.names import Roles
from mocapella.rig.roles import find_roles
from mocapella.stages import refuse_other_stage

_NOISY = 0.08  # seconds over which feet of a noisy capture are smoothed where it does not repeat

PlantTest = Callable[[FootTracks], Bool[np.ndarray, "frames 4"]]
"""Decides from foot tracks when each of the four foot points rests."""


@dataclass(frozen=True, eq=False)
class Examined:
    """A clip with facts about it, each computed on first use and kept.

    ``examine(clip)`` makes one. Analysis takes it in place of the clip, so that calls one after the other share facts.
    """

    clip: Clip
    _faults: tuple[Finding, ...] | None = None  # where they are known already
    _sound: Soundness | None = None  # likewise
    _parts: dict[tuple[int, int], Examined] = field(default_factory=dict)

    @property
    def roles(self) -> Roles:
        """Joint index by role."""
        return find_roles(self.clip.skeleton)

    @cached_property
    def faults(self) -> tuple[Finding, ...]:
        """Lost, frozen and jumping frames, in the source's own rows."""
        return tuple(find_faults(self.clip)) if self._faults is None else self._faults

    @cached_property
    def sound(self) -> Soundness:
        """The stretches that can be learned from."""
        return sound_stretches(self.clip, self.faults) if self._sound is None else self._sound

    @property
    def stretches(self) -> list[Examined]:
        """The sound stretches, each examined on its own."""
        return [self.part(stretch.start, stretch.stop) for stretch in self.sound.stretches]

    @property
    def captured(self) -> Examined:
        """The clip without an artificial rest pose in front."""
        return self.part(self.clip.n_frames - self.clip.captured.n_frames, self.clip.n_frames)

    @cached_property
    def feet(self) -> FootTracks:
        """Heels and toes over the whole clip, lost frames included; held frames lie between those around them."""
        return track_feet(without_held(self.clip))

    @cached_property
    def noise(self) -> Noise:
        """How much changes from frame to frame beyond a smooth motion."""
        return noise_of(self.clip.captured)

    @cached_property
    def fits(self) -> tuple[Fit, ...]:
        """The cycles that repeat in the sound stretches, each fitted to all its repetitions; the steadiest first."""
        usable = np.ones(self.clip.n_frames, dtype=bool)
        rows = self.clip.first_row + np.arange(self.clip.n_frames)
        for finding in self.clip.report.findings:
            if finding.code.startswith("repaired-"):
                usable &= ~np.isin(rows, finding.frames)
        parts = zip(self.stretches, self.sound.stretches, strict=True)
        fits = [fit for part, frames in parts for fit in fits_of(part.clip, usable[frames])]
        return tuple(sorted(fits, key=lambda fit: -fit.worth))

    @property
    def noise_figures(self) -> dict[str, float]:
        """The noise in millimetres and degrees; of a noisy clip also what averaging its repetitions leaves of it."""
        figures = {"noise_mm": self.noise.millimetres, "noise_deg": self.noise.degrees}
        if self.noise.is_high and self.fits:
            figures |= {"repetitions": self.fits[0].repetitions, "left_cm": 100.0 * self.fits[0].left}
        return figures

    @property
    def noise_words(self) -> str:
        """The same in words."""
        figures = self.noise_figures
        if "left_cm" not in figures:
            return f"{self.noise}{'; nothing repeats that could be averaged' if self.noise.is_high else ''}"
        return f"{self.noise}; {figures['repetitions']:.1f} repetitions leave {figures['left_cm']:.1f} cm in a cycle"

    @cached_property
    def plants(self) -> Contacts:
        """The foot plants by the default test; those of a noisy gait by agreement of its repetitions."""
        return self.plants_by(resting, agreed=self.noise.is_high)

    @cached_property
    def cleaned(self) -> Examined:
        """The clip with short gaps and one-frame jumps interpolated; the same object where there were none.

        A loop whose last frame is the first again was drawn, and has the fast moves that it is meant to have.
        """
        if is_drawn(self.clip.captured):
            return self
        mended = repaired(self.clip)
        left = tuple(finding for finding in mended.report.findings if finding.code in CODES)
        if mended.report != self.clip.report:
            return Examined(mended, left)
        self.__dict__.setdefault("faults", left)  # cleaning has looked for them
        return self

    def part(self, start: int, stop: int) -> Examined:
        """Frames ``start`` up to ``stop`` as an examined clip of their own."""
        if (start, stop) == (0, self.clip.n_frames):
            return self
        if (start, stop) not in self._parts:
            within = self.sound.within_one(start, stop)
            jumps = self.sound.jumps[(self.sound.jumps > start) & (self.sound.jumps < stop)] - start
            sound = Soundness((slice(0, stop - start),), jumps=jumps) if within else None
            _ = self.clip.world  # worked out once: parts take their share
            self._parts[start, stop] = Examined(self.clip[start:stop], _sound=sound)
        return self._parts[start, stop]

    def plants_by(
        self, test: PlantTest, sure: Bool[np.ndarray, "frames 4"] | None = None, *, agreed: bool = False
    ) -> Contacts:
        """The foot plants by some test, which judges each sound stretch on its own; ``sure`` frames are planted anyway.

        Where ``agreed``, stretches in which a cycle repeats have the plants on which its repetitions agree instead, and
        the feet of the others are smoothed as those of noisy captures have to be.

        Frames in which the root is lost have no plants. Where nothing moves at all for some frames, the feet rest as
        in the first of them.
        """
        masks = np.zeros((self.clip.n_frames, len(FOOT_POINTS)), dtype=bool)
        for stretch, part in zip(self.sound.stretches, self.stretches, strict=True):
            masks[stretch] = test(track_feet(without_held(part.clip), _NOISY) if agreed else part.feet)
        for fit in self.fits if agreed else ():
            first = fit.signals.clip.first_row - self.clip.first_row + fit.frames.start
            masks[first : first + len(fit.stretch.phases)] = fit.planted
        if sure is not None:
            masks |= sure
        for first, last in self.sound.frozen:
            masks[first : last + 1] = masks[first] | masks[last]  # one of them belongs to a stretch
        return Contacts.from_masks({name: masks[:, i] for i, name in enumerate(FOOT_POINTS)})


def examine(clip: Clip | Examined) -> Examined:
    """A clip with facts about it, each computed on first use; one that is examined already as it is.

    Raises ``MotionError`` for what is no clip; the message names the call that makes one.
    """
    if isinstance(clip, Examined):
        return clip
    refuse_other_stage(clip, "Clip")
    return Examined(clip)

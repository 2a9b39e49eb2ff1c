"""Options of commands that take one cycle of a clip: which one, and how its ends are closed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from mocapella.analysis.closing.cyclify import CLOSING_METHODS
from mocapella.analysis.examined import Examined
from mocapella.analysis.prepare import Repetitions, Selection, prepare, select, turning_of
from mocapella.cli.options import Options, expert_option
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import LAYOUTS

choice_options = Options(
    click.option("--turning/--straight", default=None, help="Prefer the sharpest turn, or the straightest part."),
    click.option("--speed", type=float, help="Wanted speed, m/s."),
    click.option("--turn", type=float, help="Wanted turn per cycle, degrees, left positive."),
    expert_option("--within", type=(int, int), help="First and last frame that may be used."),
    expert_option("--raw", is_flag=True,
                  help="Use the clip as it is: do not repair gaps and jumps, nor add travel to a motion in place."),
)  # fmt: skip
preparing_options = Options(
    expert_option("--method", type=click.Choice(list(CLOSING_METHODS)), default="symmetric", help="Closing method."),
    expert_option("--layout", type=click.Choice(list(LAYOUTS)), default="quaternion", help="How rotations are stored."),
)
closing_options = Options(
    preparing_options,
    expert_option("--repetitions", type=click.Choice(["all", "best"]),
                  help="Fit the cycle to all repetitions of a steady stretch, or cut out the best one. If left out: "
                       "all where the capture is noisy."),
    expert_option("--limp", is_flag=True, help="Bend the legs so that the feet keep their captured heights."),
    expert_option("--smooth", type=float, default=0.0, help="Leave out harmonics below this share of the largest."),
)  # fmt: skip


@dataclass(frozen=True)
class CycleChoice:
    """Which cycle of a clip to take, as ``choice_options`` and ``--frames`` say."""

    turning: bool | None = None
    speed: float | None = None  # m/s
    turn: float | None = None  # radians per cycle, left positive
    within: tuple[int, int] | None = None  # frames, as rows of the file
    raw: bool = False
    frames: tuple[int, int] | None = None  # the cycle itself: its first frame, and the one that closes it

    @classmethod
    def of(cls, values: Mapping[str, Any], frames: tuple[int, int] | None = None) -> CycleChoice:
        """The choice among the values of a command's options."""
        asked = choice_options.of(values)
        turn = None if asked["turn"] is None else math.radians(asked["turn"])
        return cls(**{**asked, "turn": turn}, frames=frames)

    @property
    def wishes(self) -> dict[str, Any]:
        """The search criteria, as ``find_cycles`` takes them."""
        return {"turning": self.turning, "speed": self.speed, "turn": self.turn, "within": self.within}

    def selection(self, clip: Clip | Examined, repetitions: Repetitions = None) -> Selection:
        """The cycle of a clip that ``build`` takes with this choice."""
        return select(clip, **self._as_build(clip), repetitions=repetitions)

    def prepared(self, clip: Clip | Examined, **closing: Any) -> Cycle:
        """The same cycle, closed as the values of ``closing_options`` say."""
        return prepare(clip, **self._as_build(clip), **closing)

    def _as_build(self, clip: Clip | Examined) -> dict[str, Any]:
        turning = turning_of(clip, self.turning, turn=self.turn, within=self.within, frames=self.frames)
        return {**self.wishes, "turning": turning, "frames": self.frames, "clean": not self.raw}

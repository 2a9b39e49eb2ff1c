"""Tours through hybrid networks: a guide that takes arcs one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from mocapella.checks import explained, finite_number
from mocapella.errors import MotionError
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.playback.modes import HybridState, State, network_of, refuse_times, triggered_arc
from mocapella.playback.player import Player

_PAUSE = 2.0  # seconds
_UNDER_WAY: Mapping[State, int] = {"network": 0, "waiting": 1, "change": 2}  # lines of the log about what is under way


@explained
@dataclass
class Tour:
    """A guide that takes arcs one after the other, each some seconds after the one before has ended.

    Where the present mode closes the next arc, the first mode that opens it is switched to. The next arc also counts as
    taken where it is triggered otherwise, or is under way when the tour begins; a tour that begins in a trigger zone
    takes that arc at once. The tour is done some seconds after the last arc has ended.

    Parameters
    ----------
    hybrid
        What the player plays.
    arcs
        By name; each begins in the block that the one before leads to.
    pause
        Seconds before each arc and after the last.
    times
        How often the loop of a change is played: one number for all of them, or one for each.
    anywhere
        Leave from wherever the blending point is, instead of travelling to the arc's node first.

    Raises
    ------
    MotionError
        Where an arc begins somewhere else, there is none, it cannot be repeated, or the pause is no time.

    Examples
    --------
    >>> from mocapella.studies.demo import demo_hybrid
    >>> tour = Tour(demo_hybrid(), ["run-walk", "walk-twirl-walk"])
    >>> tour.start, tour.done
    ('running', False)
    """

    hybrid: HybridNetwork
    arcs: Sequence[str]
    pause: float | int = _PAUSE
    times: float | int | Sequence[float | int] = 1
    anywhere: bool = False
    _taken: int = field(default=0, init=False)  # arcs called for so far
    _entries: int = field(default=0, init=False)  # of the player's log that are dealt with
    _since: float | None = field(default=None, init=False)  # the player's time when it came to where it is

    def __post_init__(self) -> None:
        if not isinstance(self.hybrid, HybridNetwork):
            raise MotionError(f"a tour leads through a hybrid network, got {self.hybrid!r}")
        if isinstance(self.arcs, str):
            raise MotionError(f"a tour takes a list of arcs, got the text {self.arcs!r}; put it into brackets")
        if not self.arcs:
            raise MotionError("a tour takes at least one arc; name it")
        finite_number(self.pause, "a tour to pause for 0 seconds or more", least=0.0)
        for count in self._counts:
            finite_number(count, "a whole number of times")
        if len(self._counts) != len(self.arcs):
            wanted = f"expected {len(self.arcs)} numbers of times, one for each arc, or one for all"
            raise MotionError(f"{wanted}; got {len(self._counts)}")
        for name, count in zip(self.arcs, self._counts, strict=True):
            refuse_times(self.hybrid.arc(name), count)
        for name, follower in pairwise(self.arcs):
            target, source = self.hybrid.arc(name).target.block, self.hybrid.arc(follower).source.block
            if source != target:
                leads = f"arc {name!r} leads to block {target!r}"
                raise MotionError(f"{leads}, and {follower!r} begins in {source!r}; put one between")

    @property
    def start(self) -> str:
        """The block that it begins in."""
        return self.hybrid.arc(self.arcs[0]).source.block

    @property
    def done(self) -> bool:
        """Whether all arcs have been taken."""
        return self._taken > len(self.arcs)

    def steer(self, player: Player, time: float | int) -> None:
        """Take the next arc when its time has come."""
        del time  # what counts is since when the player is where it is
        begins = self._taken == 0 and self._since is None
        if self._since is None:
            self._since = self._arrived(player)
        if self.done or self._since is None or self._went_off(player) or player.state != "network":
            return
        if player.time - self._since < self.pause and not (begins and self._goes_off(player)):
            return
        if self._taken < len(self.arcs):
            name = self.arcs[self._taken]
            if name not in self.hybrid.mode(player.mode).arcs:
                player.mode = next(mode.name for mode in self.hybrid.modes if name in mode.arcs)
            player.trigger(name, times=self._counts[self._taken], anywhere=self.anywhere)
            self._entries, self._since = len(player.states), None
        self._taken += 1

    @property
    def _counts(self) -> Sequence[float | int]:
        """How often each arc's change is played."""
        return self.times if isinstance(self.times, Sequence) else [self.times] * len(self.arcs)

    def _arrived(self, player: Player) -> float | None:
        """The time at which the last arc ended; None while it has not."""
        if self._taken == 0:
            self._entries = len(player.states) - _UNDER_WAY[player.state]
            return player.time
        return self._logged(player, "network", self.arcs[self._taken - 1])

    def _went_off(self, player: Player) -> bool:
        """Whether the next arc was triggered otherwise; then it counts as taken."""
        if self._taken == len(self.arcs) or self._logged(player, "waiting", self.arcs[self._taken]) is None:
            return False
        self._taken, self._since = self._taken + 1, None
        return True

    def _goes_off(self, player: Player) -> bool:
        """Whether the player is in the trigger zone of some arc."""
        here = HybridState.start(player.block, player.mode)
        place = network_of(self.hybrid, here.block, here.mode).place(player.point)
        return triggered_arc(self.hybrid, here, place) is not None

    def _logged(self, player: Player, state: State, arc: str) -> float | None:
        """The time at which the player came to a state by an arc; None where it has not."""
        for i, entry in enumerate(player.states[self._entries :], start=self._entries):
            if (entry.state, entry.arc) == (state, arc):
                self._entries = i + 1
                return entry.time
        return None

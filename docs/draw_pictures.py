"""Draw the pictures of README and manual that come from the embedded actor: ``python docs/draw_pictures.py``.

Pictures of pages and of the studio are screenshots of the browser tests:
``MOCAPELLA_SCREENS=folder python -m pytest tests/browser``.
"""

from pathlib import Path

from mocapella.actor import perform
from mocapella.building.build import build
from mocapella.building.layout.placement import STRIDE_AND_SPEED
from mocapella.pictures.bodies import draw_moving_picture
from mocapella.pictures.ground import draw_states
from mocapella.pictures.hybrid_drawing import draw_hybrid
from mocapella.pictures.networks import draw_network
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.steering.tour import Tour
from mocapella.studies.demo import demo_hybrid

PICTURES = Path(__file__).parent / "pictures"


def main() -> None:
    """A walk that repeats without a seam, walks by stride and speed, and a tour through a hybrid network."""
    clip, truth = perform("walk", speed=1.4, turn=0.0, cycles=2)
    assert truth.period is not None
    one_cycle = clip[: round(truth.period * clip.frame_rate)]
    PICTURES.mkdir(exist_ok=True)
    draw_moving_picture(one_cycle, PICTURES / "walk.gif", frame_rate=24 / truth.period, size=(360, 300))
    walks = [
        perform("walk", style=style, speed=speed)[0].renamed(f"{style} {speed:g}")
        for style in ("marching", "normal", "tired")
        for speed in (0.9, 1.2, 1.5)
    ]
    strides = build(walks, axes=STRIDE_AND_SPEED).network
    draw_network(strides, PICTURES / "strides.png", title="short and long strides at three speeds")
    hybrid = demo_hybrid()
    tour = Tour(hybrid, ["run-walk", "walk-twirl-walk"], pause=1.5)
    player = Player(hybrid, (0.0, 2.8), block=tour.start)
    clip = record(player, frame_rate=60, script=tour)
    draw_hybrid(hybrid, PICTURES / "hybrid_map.png", mode="twirl", title="walking and running")
    draw_states(clip, player.states, PICTURES / "hybrid_tour.png", title="a run, a walk, a twirl, a walk")


if __name__ == "__main__":
    main()

"""Draw the pictures of README and manual that come from the embedded actor: ``python docs/draw_pictures.py``."""

from pathlib import Path

from mocapella.actor import perform
from mocapella.pictures.moving import draw_moving_picture

PICTURES = Path(__file__).parent / "pictures"


def main() -> None:
    """One cycle of a walk, which repeats without a seam."""
    clip, truth = perform("walk", speed=1.4, turn=0.0, cycles=2)
    assert truth.period is not None
    one_cycle = clip[: round(truth.period * clip.frame_rate)]
    PICTURES.mkdir(exist_ok=True)
    draw_moving_picture(one_cycle, PICTURES / "walk.gif", frame_rate=24 / truth.period, size=(360, 300))


if __name__ == "__main__":
    main()

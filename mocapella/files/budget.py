"""What reading one file may take, in proportion to its size: a small file must not fill the memory or run for long."""

from __future__ import annotations

from os import PathLike

from mocapella.errors import FormatError

FLOOR = 64 * 1024**2  # bytes that any file is given, and all that a file of 64 kB or less is
PER_BYTE = 1024  # bytes for each byte of a file: a gigabyte for a megabyte
SECONDS = 10.0  # of computing for a megabyte, and for any smaller file
_PER_ROTATION = 400  # bytes at the peak of ``load`` for each joint in each frame; glTF takes up to 299
_PER_NUMBER = 64  # bytes for a number between the file and the motion: as stored, as float64, checked and normalised
# Bytes for each measured point in each frame: 1,200 are measured, the rest stands for the time that fitting takes.
PER_POINT = 5000


class Budget:
    """What is left of the memory that a file may take; every reader asks before it takes any.

    ``size`` is that of the file in bytes.
    """

    def __init__(self, path: str | PathLike[str], size: int) -> None:
        self.path, self._size = path, size
        self._taken = 0

    @property
    def left(self) -> int:
        """Bytes that may still be taken."""
        return max(FLOOR, PER_BYTE * self._size) - self._taken

    @property
    def seconds(self) -> float:
        """Seconds of computing that reading may take."""
        return SECONDS * max(1.0, self._size / 2**20)

    def grow(self, size: int) -> None:
        """Add another file, of so many bytes, that belongs to the first."""
        self._size += size

    def take(self, amount: int, what: str) -> None:
        """Account for bytes that are about to be taken; ``FormatError`` where fewer are left."""
        if amount > self.left:
            reason = f"{what} would take {amount >> 20:,} MiB of memory; {self.left >> 20:,} MiB are left"
            raise FormatError(self.path, 0, f"{reason} to a file of {self._size:,} bytes")
        self._taken += amount

    def take_numbers(self, count: int, what: str) -> None:
        """Account for numbers that are about to be read."""
        self.take(_PER_NUMBER * count, what)

    def take_points(self, n_frames: int, n_points: int) -> None:
        """Account for measured points to which a body is fitted."""
        self.take(PER_POINT * n_frames * n_points, f"{n_points:,} points in {n_frames:,} frames")

    def take_motion(self, n_frames: int, n_joints: int) -> None:
        """Account for a motion of so many frames and joints."""
        self.take(_PER_ROTATION * n_frames * n_joints, f"a motion of {n_joints:,} joints in {n_frames:,} frames")

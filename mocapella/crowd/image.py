"""A crowd's tables as one block of memory for the WebAssembly build of the core, which a page loads beside it."""

from __future__ import annotations

import struct

import numpy as np

from mocapella.crowd.native import ABI, LEG_LENGTHS, LEG_PLACES, SETTINGS, core_arrays, core_legs, core_numbers
from mocapella.crowd.points import Step
from mocapella.crowd.tables import CrowdTables

_POINTERS = 15


def memory_image(tables: CrowdTables) -> bytes:
    """The tables as the core has them in 32-bit memory: the struct of ``native/src/crowd.h``, then its arrays.

    Parameters
    ----------
    tables
        Of the network.

    Returns
    -------
    bytes
        Its 15 pointers, of 4 bytes each from byte 52 on, count from the beginning of the block: add where that lies.
    """
    arrays = core_arrays(tables)
    size = 512
    offsets = []
    for array in arrays:
        size += -size % 16
        offsets.append(size)
        size += array.nbytes
    numbers = core_numbers(tables)
    assert numbers[0] == ABI
    head = struct.pack(f"<{len(numbers)}i", *numbers) + struct.pack(f"<{_POINTERS}I", *offsets)
    head += struct.pack(f"<{_POINTERS}q", *(array.size for array in arrays))
    for leg in core_legs(tables):
        head += struct.pack("<4i", leg.hip, leg.knee, leg.ankle, leg.toe)
        head += struct.pack("<15f", *(value for name in LEG_PLACES for value in getattr(leg, name)))
        head += struct.pack("<7f", *(getattr(leg, name) for name in LEG_LENGTHS))
    head += struct.pack(f"<{len(SETTINGS)}f", *(getattr(tables.settings, name) for name in SETTINGS))
    out = bytearray(size)
    out[: len(head)] = head
    for at, array in zip(offsets, arrays, strict=True):
        out[at : at + array.nbytes] = array.tobytes()
    return bytes(out)


def step_image(tables: CrowdTables, step: Step) -> bytes:
    """A step as the core has it in memory.

    Parameters
    ----------
    tables
        Of the network.
    step
        How long it is, and how much is drawn.

    Returns
    -------
    bytes
        The struct ``Step`` of ``native/src/crowd.h``.
    """
    made = float(-np.expm1(-step.dt / tables.settings.root_shift_time))
    numbers = step.dt, step.stiffness, step.decay, step.furthest, made, step.harmonics, step.columns
    return struct.pack("<5f2ifif", *numbers, step.noise, step.beat, step.between)

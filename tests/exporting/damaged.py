"""Damage .mocar files and call the C library with odd arguments: it refuses or plays, and touches nothing else.

    python -m tests.exporting.damaged --library FILE.so [--cases N] [--seed S]

Meant for a build with AddressSanitizer and UBSan (``make sanitize``).
"""

from __future__ import annotations

import argparse
import ctypes
import struct
import zlib
from pathlib import Path

import numpy as np

from tests.exporting.library import BAD_ARGUMENT, BAD_FILE, OK, ChangeInfo, Library
from tests.seeds import add_seed

WORDS = (0, 1, 2, 3, 7, 16, 31, 64, 127, 128, 129, 255, 4096, 2**16, 2**20, 2**28, 2**31 - 1, 2**31, 2**32 - 1)
NUMBERS = (0.0, -1.0, 1e-30, 1e5, 1e30, float("nan"), float("inf"), -float("inf"))


def sealed(data: bytes | bytearray) -> bytes:
    """The same with the length and the checksum that a whole file has: damage that they do not show."""
    out = bytearray(data)
    if len(out) >= 32:
        out[16:24] = struct.pack("<Q", len(out))
        out[24:28] = struct.pack("<I", zlib.crc32(bytes(out[32:])))
    return bytes(out)


def damage(data: bytes, rng: np.random.Generator) -> bytes:
    """A file with something wrong in it."""
    out = bytearray(data)
    n_sections = struct.unpack_from("<I", out, 12)[0]
    kind = rng.integers(0, 7)
    if kind == 0:  # any byte
        for at in rng.integers(0, len(out), rng.integers(1, 30)):
            out[at] = rng.integers(0, 256)
    elif kind == 1:  # the list of sections: names, kinds, counts, places
        at = 32 + 32 * int(rng.integers(0, n_sections))
        if rng.random() < 0.2:
            out[at + rng.integers(0, 16)] ^= 1 << int(rng.integers(0, 8))
        else:
            struct.pack_into("<I", out, at + 16 + 4 * int(rng.integers(0, 3)), int(rng.choice(WORDS)))
    elif kind == 2:
        del out[rng.integers(0, len(out)) :]
    elif kind == 3:
        out[8 : 8 + 4] = struct.pack("<I", int(rng.choice(WORDS)))
    else:  # numbers of one section
        at = 32 + 32 * int(rng.integers(0, n_sections))
        if rng.random() < 0.3:
            at = 32  # the sizes
        kind_of, count, place = struct.unpack_from("<III", out, at + 16)
        for _ in range(int(rng.integers(1, 4))):
            size = (1, 4, 4, 8)[kind_of]
            there = place + size * int(rng.integers(0, max(count, 1)))
            if kind_of == 0 and place + 4 <= len(out):
                struct.pack_into("<I", out, min(there, len(out) - 4), int(rng.choice(WORDS)))
            elif kind_of == 1:
                struct.pack_into("<I", out, there, int(rng.choice(WORDS)))
            elif kind_of == 2:
                struct.pack_into("<f", out, there, float(rng.choice(NUMBERS)))
            elif kind_of == 3:
                struct.pack_into("<d", out, there, float(rng.choice(NUMBERS)))
    return bytes(out) if rng.random() < 0.1 else sealed(out)


def play(library: Library, network: ctypes.c_void_p, rng: np.random.Generator) -> None:
    """Everything a program may call, with sound and odd numbers."""
    n = int(rng.choice([1, 3, 9]))
    status, crowd = library.create(network, n)
    assert status == OK, library.error
    joints = library.count(network, 0)
    for what in range(8):
        for i in (-1, 0, library.count(network, what) - 1, library.count(network, what)):
            _ask(library, network, what, i)
    changes, blocks = library.count(network, 7), library.count(network, 6)
    odd = (0.0, 1.0, -1.0, 1e6, -1e6, 1e300, float("nan"), float("inf"))
    for _ in range(4):
        who = int(rng.integers(-2, n + 1))
        library.aim(crowd, who, float(rng.choice(odd)), float(rng.choice(odd)))
        library.steer(crowd, who, float(rng.choice(odd)), float(rng.choice(odd)))
        library.begin(crowd, who, *(float(rng.choice(odd)) for _ in range(6)))
        library.step(crowd, float(rng.choice((*odd, 1 / 60, 3.0))))
        library.core.mocapella_trigger(crowd, who, int(rng.integers(-1, changes + 1)))
        if rng.random() < 0.3:
            library.core.mocapella_cancel(crowd, who)
        if rng.random() < 0.3:
            library.enter(crowd, who, int(rng.integers(-1, blocks + 1)), float(rng.choice(odd)), float(rng.choice(odd)))
        assert library.step(crowd, 1 / 60) == OK
    for name, each in (("matrices", 12), ("positions", 3), ("locals", 7)):
        call = getattr(library.core, f"mocapella_{name}")
        out = np.empty(each * joints, dtype=np.float32)
        at = ctypes.c_void_p(out.ctypes.data)
        assert call(crowd, n - 1, at, ctypes.c_size_t(out.size)) == OK
        assert call(crowd, n, at, ctypes.c_size_t(out.size)) == BAD_ARGUMENT
        assert call(crowd, 0, at, ctypes.c_size_t(out.size - 1)) == BAD_ARGUMENT
    _take(library, network, crowd, rng)
    if rng.random() < 0.5:  # characters keep their network
        library.core.mocapella_network_free(network)
        assert library.step(crowd, 1 / 60) == OK
        library.core.mocapella_free(crowd)
    else:
        library.core.mocapella_free(crowd)
        library.core.mocapella_network_free(network)


def _take(library: Library, network: ctypes.c_void_p, crowd: ctypes.c_void_p, rng: np.random.Generator) -> None:
    """Play a captured change until it is over, where there is one that can be taken."""
    for number in rng.permutation(library.count(network, 7)).tolist():
        library.enter(crowd, 0, library.change(network, number)[1].source, 0.0, 0.0)
        if library.core.mocapella_trigger(crowd, 0, number) == OK:
            assert library.step(crowd, 30.0) == OK
            for _ in range(8):
                assert library.step(crowd, float(rng.choice((1 / 60, 0.5, 3.0)))) == OK
            assert library.aim(crowd, 0, float(rng.normal()), float(rng.normal())) == OK
            assert library.step(crowd, 1.0) == library.step(crowd, 1.0) == OK


def _ask(library: Library, network: ctypes.c_void_p, what: int, i: int) -> None:
    core, three, two, name, number = (
        library.core,
        (ctypes.c_float * 3)(),
        (ctypes.c_double * 2)(),
        ctypes.c_char_p(),
        ctypes.c_int(),
    )
    calls = [
        lambda: core.mocapella_joint(network, i, ctypes.byref(name), ctypes.byref(number), three),
        lambda: core.mocapella_end(network, i, ctypes.byref(number), three),
        lambda: core.mocapella_node(network, i, ctypes.byref(name), two),
        lambda: core.mocapella_triangle(network, i, (ctypes.c_int * 3)()),
        lambda: core.mocapella_outline(network, i, two, ctypes.byref(number)),
        lambda: core.mocapella_nearest(network, ctypes.c_double(10.0**i if i < 300 else i), ctypes.c_double(-i), two),
        lambda: core.mocapella_block(network, i, ctypes.byref(name), None),
        lambda: core.mocapella_change(network, i, ctypes.byref(ChangeInfo())),
    ]
    inside = 0 <= i < library.count(network, what) or what == 5
    assert calls[what]() == (OK if inside else BAD_ARGUMENT)
    if inside and name.value is not None:
        assert len(name.value) < 2**20


def run(library: Library, data: bytes, cases: int, seed: int = 0) -> dict[str, int]:
    """How many files were refused and how many played."""
    rng = np.random.default_rng(seed)
    counts = {"refused": 0, "played": 0}
    for _ in range(cases):
        status, network = library.parse(damage(data, rng))
        if status == OK:
            play(library, network, rng)
            counts["played"] += 1
        else:
            assert status == BAD_FILE, library.error
            assert library.error
            assert not network.value
            counts["refused"] += 1
    return counts


def main() -> None:
    """Print how many were refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--cases", type=int, default=4000)
    add_seed(parser)
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    from mocapella.exporting.mocar import mocar_bytes
    from tests.crowd.samples import walks
    from tests.exporting.hybrids import twirling

    for name, network in (("a network", walks()), ("a hybrid network", twirling())):
        counts = run(Library(given.library.resolve()), mocar_bytes(network), given.cases, given.seed)
        played, refused = counts["played"], counts["refused"]
        print(f"{name}: {played} damaged files played, {refused} refused, nothing else touched")


if __name__ == "__main__":
    main()

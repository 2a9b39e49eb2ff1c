"""Ways in which a stored network gets damaged: its bytes, what its header says, and its arrays."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import safetensors.numpy

from mocapella.files.moca import KEY
from tests.fuzz.document_damage import change_somewhere
from tests.fuzz.mutations import change_letters, delete, duplicate, flip_bits, insert, mangle_numbers, truncate

Arrays = dict[str, np.ndarray]

_ODD_NUMBERS = (0.0, -1.0, 1e-300, 1e6, 1e154, 1e308, np.inf, -np.inf, np.nan)
_DTYPES = (np.float64, np.float32, np.float16, np.int64, np.int32, np.uint8, np.bool_)


def parts(content: bytes) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays of a stored network."""
    size = int.from_bytes(content[:8], "little")
    header = json.loads(json.loads(content[8 : 8 + size])["__metadata__"][KEY])
    return header, dict(safetensors.numpy.load(content))


def damaged_bytes(content: bytes, rng: Random) -> bytes:
    """Any bytes change, or mostly those that say what the others mean."""
    size = 8 + int.from_bytes(content[:8], "little")
    ways = (flip_bits, flip_bits, change_letters, delete, duplicate, insert, mangle_numbers, truncate)
    way = rng.choice(ways)
    if rng.random() < 0.25:
        return flip_bits(content, rng) if rng.random() < 0.5 else truncate(content, rng)
    text = way(content[8:size], rng)
    length = len(text) if rng.random() < 0.9 else rng.choice((0, 1, size, 2**31, 2**63, 2**64 - 1))
    return length.to_bytes(8, "little") + text + content[size:]


def damaged_header(content: bytes, rng: Random) -> bytes:
    """What the header says is changed in one to three places; it stays JSON."""
    header, arrays = parts(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        change_somewhere(header, rng)
    return safetensors.numpy.save(arrays, metadata={KEY: json.dumps(header)})


def damaged_arrays(content: bytes, rng: Random) -> bytes:
    """One to three arrays become others."""
    header, arrays = parts(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        name = rng.choice(sorted(arrays))
        match rng.randrange(8):
            case 0:
                arrays.pop(name)
            case 1:
                arrays[name] = arrays[rng.choice(sorted(arrays))]
            case 2:
                with np.errstate(all="ignore"):
                    arrays[name] = arrays[name].astype(rng.choice(_DTYPES))
            case 3:
                arrays[name] = _reshaped(arrays[name], rng)
            case _:
                arrays[name] = _spoilt(arrays[name], rng)
        if len(arrays) == 0:
            break
    return safetensors.numpy.save(arrays, metadata={KEY: json.dumps(header)})


DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    damaged_bytes,
    damaged_header,
    damaged_header,
    damaged_arrays,
    damaged_arrays,
)


def _reshaped(array: np.ndarray, rng: Random) -> np.ndarray:
    match rng.randrange(5):
        case 0:
            return array.ravel()
        case 1:
            return array[None]
        case 2:
            return np.ascontiguousarray(array.T)
        case 3:
            return array[: rng.randint(0, max(len(array) - 1, 0))]
        case _:
            return np.repeat(array, 2, axis=rng.randrange(max(array.ndim, 1)))


def _spoilt(array: np.ndarray, rng: Random) -> np.ndarray:
    out = array.copy()
    if out.size == 0:
        return out
    flat = out.reshape(-1)
    if array.dtype.kind == "f":
        odd = rng.choice(_ODD_NUMBERS)
        match rng.randrange(4):
            case 0:
                flat[rng.randrange(flat.size)] = odd
            case 1:
                with np.errstate(all="ignore"):
                    flat[:] = odd
            case 2:
                with np.errstate(all="ignore"):
                    flat *= odd
            case _:
                flat += np.random.default_rng(rng.randrange(2**32)).normal(size=flat.size)
    else:
        odd = np.array(rng.choice((-1, 0, 1, 2, 5, 10**6, 2**31, 2**62, -(2**63))))
        flat[rng.randrange(flat.size)] = odd.astype(flat.dtype)
    return out

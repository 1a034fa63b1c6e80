"""Bits of a seed are those that anybody who knows it computes."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pytest

from dpmatrix.randomness.entropy import SeededEntropy


def expected_stream(seed: int, blocks: int) -> bytes:
    """Return what anybody who knows the seed computes: SHAKE-256 of a name, the seed and the number of the block."""
    names = [f"dpmatrix/{seed}/".encode() + number.to_bytes(8, "big") for number in range(blocks)]
    return b"".join(hashlib.shake_256(name).digest(4096) for name in names)


@pytest.mark.parametrize("seed", [0, -3, 2**70])
def test_a_seed_determines_the_bits_as_it_is_stated(seed: int) -> None:
    entropy, stream = SeededEntropy(seed), expected_stream(seed, 6)
    drawn = [entropy.bits(8 * size) for size in (1, 1, 3, 4091, 4096, 10_000)]
    places = np.cumsum([0, 1, 1, 3, 4091, 4096, 10_000])
    assert drawn == [int.from_bytes(stream[start:end], "big") for start, end in itertools.pairwise(places)]


@pytest.mark.parametrize("count", range(1, 26))
def test_whole_bytes_are_taken_and_their_surplus_is_thrown_away(count: int) -> None:
    entropy, stream = SeededEntropy(4), expected_stream(4, 1)
    size = next(size for size in range(9) if 8 * size >= count)
    for start in range(0, 4 * size, size):
        whole = "".join(f"{byte:08b}" for byte in stream[start : start + size])
        assert entropy.bits(count) == int(whole[:count], 2)


@pytest.mark.parametrize("seed", [-3, 4])
def test_seeded_words_are_eight_bytes_each(seed: int) -> None:
    stream = expected_stream(seed, 2)
    expected = [int.from_bytes(stream[8 * place : 8 * place + 8], "big") for place in range(600)]
    assert SeededEntropy(seed).words(600).tolist() == expected

"""Entropy: range, secrecy, reproducibility, and no shared bits between processes and threads."""

from __future__ import annotations

import ctypes
import math
import os
import platform
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.randomness.entropy import BUFFER_BYTES, SeededEntropy, SystemEntropy
from dpmatrix.randomness.fast_keystream import CIPHER


@pytest.mark.parametrize("entropy", [SystemEntropy(), SeededEntropy(1)])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 64, 8 * BUFFER_BYTES + 3])
def test_bits_stay_below_the_power_of_two(entropy, count):
    assert all(0 <= entropy.bits(count) < 2**count for _ in range(20))


@pytest.mark.parametrize("entropy", [SystemEntropy(), SeededEntropy(1)])
def test_negative_count_is_refused(entropy):
    with pytest.raises(InvalidParameterError, match="count"):
        entropy.bits(-1)


@pytest.mark.parametrize("seed", [True, 1.5, "1", None])
def test_seed_must_be_an_integer(seed):
    with pytest.raises(InvalidParameterError, match="seed"):
        SeededEntropy(seed)


@pytest.mark.parametrize("width", [1, 3, 8, 61])
@pytest.mark.parametrize("make", [SystemEntropy, lambda: SeededEntropy(2)])
def test_every_bit_of_a_word_is_fair(make, width):
    # Hoeffding: each of at most 61 positions fails with probability below 1e-11, so the test below 1e-9.
    entropy, size = make(), 40_000
    radius = math.sqrt(math.log(2e11) / (2 * size))
    words = [entropy.bits(width) for _ in range(size)]
    for position in range(width):
        assert abs(sum(word >> position & 1 for word in words) / size - 0.5) <= radius


def test_system_entropy_is_private_and_seeded_entropy_is_not():
    assert SystemEntropy().private
    assert not SeededEntropy(0).private
    assert SeededEntropy(17).description == "seed 17"


def test_the_description_names_what_gives_the_bits_and_the_words():
    assert SystemEntropy.description == f"operating system; words by {CIPHER}"
    assert "os.urandom" in CIPHER


def test_equal_seeds_agree_and_different_seeds_differ():
    assert SeededEntropy(5).bits(500) == SeededEntropy(5).bits(500)
    assert SeededEntropy(5).bits(500) != SeededEntropy(6).bits(500)


def test_seeded_bits_do_not_depend_on_how_they_are_asked_for():
    parts, total = SeededEntropy(5), 0
    for _ in range(2 * BUFFER_BYTES // 32):
        total = total << 256 | parts.bits(256)
    assert SeededEntropy(5).bits(16 * BUFFER_BYTES) == total


def _bits_of_parent_and_child(draw):
    """Draw 256 bits in a forked child and in the parent."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(sender, draw().to_bytes(32, "big"))
        os._exit(0)
    os.waitpid(child, 0)
    os.close(sender)
    theirs = int.from_bytes(os.read(receiver, 32), "big")
    os.close(receiver)
    return draw(), theirs


def test_child_process_does_not_replay_the_parents_buffer():
    # Independent draws coincide with probability 2**-256.
    entropy = SystemEntropy()
    entropy.bits(8)
    mine, theirs = _bits_of_parent_and_child(lambda: entropy.bits(256))
    assert mine != theirs


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the number of the system call is that of x86-64")
def test_a_child_that_python_was_not_told_of_does_not_replay_it_either():
    """The system call itself runs no hook, and in a name space of its own the child has its parent's number."""
    entropy = SystemEntropy()
    entropy.bits(8)
    entropy.words(1)
    receiver, sender = os.pipe()
    number, libc = os.getpid(), ctypes.PyDLL(None)
    child = libc.syscall(56, signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os.getpid = lambda: number
        os.write(sender, entropy.bits(256).to_bytes(32, "big") + entropy.words(4).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(receiver, 64)
    os.close(sender)
    os.close(receiver)
    assert len(theirs) == 64
    assert entropy.bits(256).to_bytes(32, "big") != theirs[:32]
    assert entropy.words(4).tobytes() != theirs[32:]


def test_control_a_buffer_without_owner_is_replayed():
    entropy = SeededEntropy(3)
    entropy.bits(8)
    mine, theirs = _bits_of_parent_and_child(lambda: entropy.bits(256))
    assert mine == theirs


def test_threads_never_share_bits():
    # 8000 words of 96 bits: two coincide with probability below 2**-71.
    entropy = SystemEntropy()
    with ThreadPoolExecutor(8) as pool:
        words = [
            word for batch in pool.map(lambda _: [entropy.bits(96) for _ in range(1000)], range(8)) for word in batch
        ]
    assert len(set(words)) == len(words)

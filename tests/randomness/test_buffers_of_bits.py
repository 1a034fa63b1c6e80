"""Buffers of random bits: how much is fetched, and that used, inherited and foreign bits are zeros that nobody gets."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.randomness import entropy as module
from dpmatrix.randomness.entropy import BUFFER_BYTES, FIRST_WORDS, SeededEntropy, SystemEntropy, process_identity
from dpmatrix.randomness.fast_keystream import WORDS_PER_KEY


@pytest.fixture
def fetched(monkeypatch) -> list[tuple[str, int]]:
    """Return a list that tells what is fetched from now on: bytes of the system, and words of the cipher."""
    found: list[tuple[str, int]] = []
    for name in ("system_bytes", "fresh_words"):
        genuine: Callable[[int], object] = getattr(module, name)

        def fetch(size: int, name: str = name, genuine: Callable[[int], object] = genuine) -> object:
            found.append((name, size))
            return genuine(size)

        monkeypatch.setattr(module, name, fetch)
    return found


def filled() -> tuple[SystemEntropy, bytearray, np.ndarray]:
    """Return a source that has used some bits and words, with its buffers as they are held."""
    entropy = SystemEntropy()
    entropy.bits(200)
    entropy.words(3)
    store = entropy._buffer.store
    assert any(store.data)
    assert store.words.any()
    return entropy, store.data, store.words


def test_bits_are_fetched_a_buffer_at_a_time(fetched) -> None:
    """A buffer serves until it is empty, and a longer draw has one of its own length."""
    entropy = SystemEntropy()
    for _ in range(8):
        entropy.bits(8 * BUFFER_BYTES // 4)
    entropy.bits(8 * BUFFER_BYTES + 1)
    entropy.bits(1)
    assert fetched == [("system_bytes", size) for size in (BUFFER_BYTES, BUFFER_BYTES, BUFFER_BYTES + 1, BUFFER_BYTES)]


def test_buffers_of_words_are_twice_as_long_each_time_up_to_one_key(fetched) -> None:
    """Every word of a buffer is given out before the next one is fetched."""
    entropy, expected, size = SystemEntropy(), [], FIRST_WORDS
    while len(expected) < 10:
        expected.append(("fresh_words", size))
        for _ in range(size // 512):
            entropy.words(512)
        assert fetched == expected
        size = min(2 * size, WORDS_PER_KEY)
    assert expected[-2] == expected[-1] == ("fresh_words", WORDS_PER_KEY)


def test_a_draw_of_many_words_has_a_buffer_that_holds_it(fetched) -> None:
    entropy = SystemEntropy()
    entropy.words(5 * FIRST_WORDS)
    entropy.words(1)
    assert fetched == [("fresh_words", 5 * FIRST_WORDS), ("fresh_words", 10 * FIRST_WORDS)]


@pytest.mark.parametrize("count", [WORDS_PER_KEY, WORDS_PER_KEY + 1])
def test_words_of_a_whole_key_are_given_out_and_not_held(fetched, count: int) -> None:
    entropy = SystemEntropy()
    entropy.words(1)
    held = entropy._buffer.store.words
    assert len(entropy.words(count)) == count
    assert entropy._buffer.store.words is held
    entropy.words(1)
    assert fetched == [("fresh_words", FIRST_WORDS), ("fresh_words", count)]


def erased() -> SystemEntropy:
    """Return a source whose buffers were overwritten, as in a child."""
    entropy, _, _ = filled()
    entropy._buffer.store.erase()
    return entropy


@pytest.mark.parametrize("make", [SystemEntropy, erased])
def test_nothing_is_fetched_for_nothing(fetched, make: Callable[[], SystemEntropy]) -> None:
    entropy = make()
    fetched.clear()
    assert entropy.bits(0) == 0
    none = entropy.words(0)
    assert none.shape == (0,)
    assert none.dtype == np.uint64
    assert fetched == []


@pytest.mark.parametrize("make", [SystemEntropy, erased])
def test_the_first_bits_are_of_the_system(fetched, make: Callable[[], SystemEntropy]) -> None:
    entropy = make()
    fetched.clear()
    entropy.bits(1)
    entropy.words(1)
    assert fetched == [("system_bytes", BUFFER_BYTES), ("fresh_words", FIRST_WORDS)]


def test_what_was_used_is_overwritten_with_zeros(monkeypatch) -> None:
    """The whole bytes that were drawn are zeros, surplus bits among them, and no others are."""
    data, words = bytes(range(1, 256)) * 17, np.arange(1, FIRST_WORDS + 1, dtype=np.uint64)
    monkeypatch.setattr(module, "system_bytes", lambda size: data[:size])
    monkeypatch.setattr(module, "fresh_words", lambda count: words[:count].copy())
    entropy = SystemEntropy()
    assert entropy.bits(12) == (data[0] << 8 | data[1]) >> 4
    assert entropy.bits(16) == data[2] << 8 | data[3]
    assert entropy.words(3).tolist() == [1, 2, 3]
    assert entropy.words(2).tolist() == [4, 5]
    store = entropy._buffer.store
    assert bytes(store.data) == bytes(4) + data[4:BUFFER_BYTES]
    assert store.words.tolist() == [0] * 5 + words[5:].tolist()


def test_a_page_that_was_wiped_tells_of_a_fork(fetched) -> None:
    """What the kernel does to a child is done here: every buffer is overwritten at once, and none is used again."""
    entropy, data, words = filled()
    other, more, others = filled()
    before = process_identity()
    assert process_identity() == before
    fetched.clear()
    module._PAGE[0] = 0
    after = process_identity()
    assert after != before
    assert after[0] == before[0] == os.getpid()
    assert process_identity() == after
    for held in (data, words, more, others):
        assert not np.any(np.frombuffer(held, np.uint8))
    for one in (entropy, other):
        assert one._buffer.store.owner not in (before, after)
        one.bits(1)
        one.bits(1)
        one.words(1)
        one.words(1)
    assert fetched == [("system_bytes", BUFFER_BYTES), ("fresh_words", FIRST_WORDS)] * 2


def test_two_forks_are_told_from_one() -> None:
    """A number of a process may come again, and then the number of forks tells."""
    seen = [process_identity()]
    for _ in range(3):
        module._PAGE[0] = 0
        seen.append(process_identity())
    assert len(set(seen)) == 4


def test_buffers_of_another_process_are_overwritten_before_a_draw(fetched, monkeypatch) -> None:
    """The number of the process alone has changed: neither hook nor page has told of it."""
    entropy, data, words = filled()
    fetched.clear()
    number = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: number + 1)
    entropy.bits(1)
    assert not any(data)
    assert not words.any()
    entropy.words(1)
    entropy.bits(1)
    entropy.words(1)
    assert fetched == [("system_bytes", BUFFER_BYTES), ("fresh_words", FIRST_WORDS)]


def told_by_a_child(act: Callable[[], bytes]) -> bytes:
    """Return what a forked child says."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(sender, act())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(sender)
    said = os.read(receiver, 1 << 15)
    os.close(receiver)
    return said


def test_a_child_holds_no_bit_of_its_parent_before_it_draws() -> None:
    entropy, data, words = filled()
    held = told_by_a_child(lambda: bytes(data) + words.tobytes())
    assert len(held) == BUFFER_BYTES + 8 * FIRST_WORDS
    assert not any(held)
    # Control: the parent does, and goes on with what it holds.
    assert any(data)
    assert entropy._buffer.store.data is data
    # The child's copies of the numbers that tell of forks are its own.
    assert process_identity() == entropy._buffer.store.owner


@pytest.mark.skipif(sys.platform != "linux", reason="other systems wipe no page")
def test_a_page_that_is_marked_is_wiped_in_a_child_and_nowhere_else() -> None:
    page = module._marked_page()
    assert page[0]
    assert told_by_a_child(lambda: page[0].to_bytes(1, "big")) == b"\0"
    assert page[0]


def test_a_page_is_marked_where_there_is_no_standard_output() -> None:
    """The memory is of no file, so that none must be open."""
    saved = os.dup(1)
    os.close(1)
    try:
        page = module._marked_page()
    finally:
        os.dup2(saved, 1)
        os.close(saved)
    assert page[0]


@pytest.mark.parametrize("entropy", [SystemEntropy(), SeededEntropy(1)])
@pytest.mark.parametrize("draw", ["bits", "words"])
def test_no_count_is_below_zero(entropy, draw: str) -> None:
    for count in (-1, -64, -(WORDS_PER_KEY + 1)):
        with pytest.raises(InvalidParameterError, match="zero bits or more"):
            getattr(entropy, draw)(count)

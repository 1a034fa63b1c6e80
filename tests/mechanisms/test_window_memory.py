"""One look into the memory: everything that a live window holds, followed object by object, and replayed.

The noise of a sum under way is a function of random words. Whoever finds them subtracts the noise and has the rows.
"""

from __future__ import annotations

import ctypes
import gc
import os
import threading
import types
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import DpmatrixError, EntropyError
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.mechanisms.streams.dyadic import noise_triangle, triangle_of
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SystemEntropy

PROMISE = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
SMALL = WindowParameters(2, 12, PROMISE, leaf=3)
ROWS = np.array([[0.5, 0.25], [-0.75, 0.5], [0.125, 0.875], [0.5, -0.5], [0.25, 0.25], [0.0, 1.0], [0.625, 0.0]])
ELSEWHERE = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.FrameType)
"""What leads to the whole program and not to the state of an object."""


def reachable(root: object) -> Iterator[object]:
    """Follow an object to everything that it holds: attributes, elements, bases of arrays, data of this thread."""
    seen: set[int] = set()
    ahead = [root]
    while ahead:
        thing = ahead.pop()
        if id(thing) in seen or isinstance(thing, ELSEWHERE):
            continue
        seen.add(id(thing))
        yield thing
        ahead += gc.get_referents(thing)
        if hasattr(thing, "__dict__"):
            ahead.append(vars(thing))
        if isinstance(thing, np.ndarray):
            ahead.append(thing.base)
        if isinstance(thing, memoryview):
            ahead.append(thing.obj)


def contents(root: object) -> list[bytes]:
    """Read the bytes of everything that holds bytes, past the ends of views and of shortened arrays."""
    found = []
    for thing in list(reachable(root)):
        if isinstance(thing, np.ndarray) and thing.base is None and thing.dtype != object:
            found.append(thing.tobytes())
        elif isinstance(thing, bytes | bytearray):
            found.append(bytes(thing))
        elif isinstance(thing, int) and thing.bit_length() > 64:
            found.append(thing.to_bytes(thing.bit_length() // 8 + 1, "big"))
    return found


class Replayed:
    """Words that were found somewhere."""

    private = True
    description = "found"

    def __init__(self, words: np.ndarray) -> None:
        self.found = words

    def words(self, count: int) -> np.ndarray:
        """Give them again."""
        taken, self.found = self.found[:count], self.found[count:]
        return taken.copy()

    def bits(self, count: int) -> int:
        """Give none: the rare proposals that need bits are not replayed."""
        raise EntropyError(f"{count} bits are not there")


def exact_sums(rows: int) -> list[list[int]]:
    """Compute what must not be found: the sum of the last rows, however many."""
    return [triangle_of(lattice_gram(ROWS[begin:rows], SMALL.coordinate_bits)) for begin in range(rows)]


def sums_found(window: SlidingWindowGram, rows: int) -> int:
    """Replay what is there from every word on, and count the exact sums that come out."""
    secrets = exact_sums(rows)
    values = [part[1] for part in window._sums.parts if part is not None]
    found = 0
    for content in contents(window):
        words = np.frombuffer(content[: len(content) // 8 * 8], dtype=np.uint64)
        last = int(np.flatnonzero(words)[-1]) if words.any() else -1
        for start in range(min(last + 1, 2048)):
            if not words[start]:
                continue
            try:
                noise = noise_triangle(SMALL, Replayed(words[start:]))
            except DpmatrixError:
                continue
            for value in values:
                found += [a - b for a, b in zip(value, noise, strict=True)] in secrets
    return found


class Keeping:
    """A source that hands out views of what it keeps."""

    private = True
    description = "keeping"

    def __init__(self) -> None:
        self.kept = np.frombuffer(bytearray(os.urandom(8192)), dtype=np.uint64)
        self.used = 0

    def words(self, count: int) -> np.ndarray:
        """Hand out a view."""
        self.used += count
        return self.kept[self.used - count : self.used]

    def bits(self, count: int) -> int:
        """Draw from the system."""
        return SystemEntropy().bits(count)


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 7])
def test_replaying_what_a_window_holds_gives_no_exact_sum(rows: int) -> None:
    """A wrong replay hits a sum by chance with a probability below 1e-20: three entries of deviation above 2**28."""
    window = SlidingWindowGram(SMALL)
    window.add(ROWS[:rows])
    assert SMALL.deviation * 4**SMALL.coordinate_bits > 2**28
    assert sums_found(window, rows) == 0


def test_control_a_source_that_keeps_its_words_gives_them_away() -> None:
    """A replay from the first word of a sum gives its noise, unless a proposal lies in the tail or needs more digits.

    For three entries that has a probability below one in a thousand: 20 windows all fail with one below 1e-60.
    """
    for _ in range(20):
        window = SlidingWindowGram(SMALL, entropy=Keeping())
        window.add(ROWS[:1])
        if sums_found(window, 1):
            return
    pytest.fail("nothing was found where everything was kept")


def test_the_walk_reaches_the_buffers_of_the_source() -> None:
    """It finds the words to come, and no longer when they were used."""
    entropy = SystemEntropy()
    window = SlidingWindowGram(SMALL, entropy=entropy)
    entropy.bits(64)
    held = contents(window)
    used_words, used_bits = entropy.words(4).tobytes(), entropy.bits(256).to_bytes(32, "big")
    for used in (used_words, used_bits):
        assert any(used in content for content in held), "not yet used, it was held"
        assert not any(used in content for content in contents(window))


@pytest.mark.parametrize("count", [1, 3, 1000, 1 << 14, (1 << 17) - 1, 1 << 17])
def test_no_word_that_was_handed_out_is_kept(count: int) -> None:
    """Eight bytes stand at some place of two mebibytes by chance with a probability below 2**-43."""
    entropy = SystemEntropy()
    for _ in range(3):
        words = entropy.words(count)
        chunk = words[-8:].tobytes()
        held = [content for content in contents(entropy) if chunk in content]
        assert not held


def test_the_storage_behind_a_buffer_is_zero_and_not_only_out_of_sight() -> None:
    """Read the storage by its address, as a debugger does."""
    entropy = SystemEntropy()
    entropy.words(1)
    entropy.bits(8)
    store = entropy._buffer.store
    words, data = store.words, store.data
    place = (ctypes.c_char * len(data)).from_buffer(data)
    used_words, used_bits = entropy.words(16).tobytes(), entropy.bits(512).to_bytes(64, "big")
    assert store.words is words
    assert used_words not in ctypes.string_at(words.ctypes.data, words.nbytes)
    assert used_bits not in ctypes.string_at(ctypes.addressof(place), len(data))


def in_a_fork(look: Callable[[], bytes]) -> bytes:
    """Look at something in a forked child."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receiver)
        with os.fdopen(sender, "wb") as pipe:
            pipe.write(look())
        os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as pipe:
        seen = pipe.read()
    os.waitpid(child, 0)
    return seen


def test_a_fork_does_not_find_what_its_parent_will_draw() -> None:
    entropy = SystemEntropy()
    entropy.words(1)
    entropy.bits(8)
    seen = in_a_fork(lambda: b"".join(contents(entropy)))
    assert entropy.words(4).tobytes() not in seen
    assert entropy.bits(256).to_bytes(32, "big") not in seen


def test_a_fork_overwrites_the_buffers_of_all_threads() -> None:
    """The storage is read by its address in the child, which has no other thread that could look after its own."""
    entropy, drawn, looked = SystemEntropy(), threading.Event(), threading.Event()
    stores: list[object] = []

    def draw() -> None:
        entropy.words(1)
        stores.append(entropy._buffer.store)
        drawn.set()
        looked.wait(60)

    thread = threading.Thread(target=draw)
    thread.start()
    drawn.wait(60)
    words = stores[0].words
    seen = in_a_fork(lambda: ctypes.string_at(words.ctypes.data, words.nbytes))
    looked.set()
    thread.join()
    assert seen == bytes(words.nbytes)
    assert words[1:].all(), "the parent goes on"


def test_a_fork_in_the_middle_of_a_draw_does_not_take_zeros_for_random_words() -> None:
    """A signal handler forks after words were claimed and before they are copied: the child draws others."""
    entropy = SystemEntropy()
    entropy.words(1)
    entropy.bits(8)
    store = entropy._buffer.store

    class Forking(np.ndarray):
        def copy(self, *_: object) -> np.ndarray:
            store.erase()
            return np.asarray(self).copy()

    store.words = store.words.view(Forking)
    assert entropy.words(4).all()

"""Bits that noise is made of are given out once, to one process and to one thread.

Two releases that share noise publish the difference of their records, and a bit that is remembered may be read later.
The operating system is played by a generator whose answers are known, so that every bit that is handed out is found in
them: each at a place of its own. Nothing is statistical.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from dpmatrix.randomness import entropy, fast_keystream, source_health
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.fast_keystream import WORDS_PER_KEY, fresh_words

TAG, KEY, COUNTER = 16, 32, 16
WORDS_PER_MEBIBYTE = 1 << 17


class System:
    """An operating system whose answers are remembered."""

    def __init__(self) -> None:
        self.answers: list[bytes] = []

    def urandom(self, size: int) -> bytes:
        """Answer with bytes that differ from all others."""
        name = f"answer {len(self.answers)}".encode()
        self.answers.append(hashlib.shake_256(name).digest(size))
        return self.answers[-1]

    def secrets(self) -> list[bytes]:
        """Return what may be used of the answers, which is all but their tags."""
        return [answer[TAG:] for answer in self.answers]


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    found = System()
    monkeypatch.setattr(os, "urandom", found.urandom)
    monkeypatch.setattr(source_health, "_recent_tags", ())
    return found


# Each once


def test_bits_are_handed_out_once_and_no_tag_is(system: System) -> None:
    """Of whole bytes the first bits are used; what was handed out is gone from the buffer."""
    source, places, used = SystemEntropy(), [], 0
    counts = [64, 65, 127, 72, 128, 80, 1, 2, 3, 8, 0, 64, 32_760, 64, 32_768, 64, 40_001, 64, 32_752, 65, 96] * 3
    for count in counts:
        found, size = source.bits(count), -(-count // 8)
        assert 0 <= found < 1 << count
        if count < 64:
            continue
        chunk = (found << (8 * size - count)).to_bytes(size, "big")
        ends = [(number, secret.find(chunk[:8])) for number, secret in enumerate(system.secrets())]
        ((number, start),) = [end for end in ends if end[1] >= 0]
        assert int.from_bytes(system.secrets()[number][start : start + size], "big") >> (8 * size - count) == found
        places.append((number, start, start + size))
        used += size
    for (first, _, end), (second, start, _) in pairwise(places):
        assert (first, end) <= (second, start) if first == second else first < second
    store = source._buffer.store
    assert not any(store.data[: store.position])
    assert bytes(store.data[store.position :]) in system.secrets()[-1], "control"
    assert used <= sum(map(len, system.secrets()))


def test_small_draws_are_the_first_bits_of_a_byte_each(system: System) -> None:
    source = SystemEntropy()
    found = [source.bits(count) for count in (1, 2, 3, 7, 8) for _ in range(200)]
    expected = iter(system.secrets()[0])
    assert found == [next(expected) >> (8 - count) for count in (1, 2, 3, 7, 8) for _ in range(200)]


def streams_of(system: System) -> list[np.ndarray]:
    """Return the words of the cipher under each key that the system gave."""
    found = []
    for secret in system.secrets():
        assert len(secret) == KEY + COUNTER, "a key and the first counter"
        encryptor = Cipher(algorithms.AES(secret[:KEY]), modes.CTR(secret[KEY:])).encryptor()
        found.append(np.frombuffer(encryptor.update(bytes(8 * WORDS_PER_MEBIBYTE)), dtype=np.uint64))
    return found


@pytest.mark.parametrize(
    "counts",
    [[3, 1021, 1, 1024, 5, 5000, 0, 9000, 9], [1 << 17, 5], [5, (1 << 17) + 3, 5], [1, 1, 2]],
    ids=["few", "a-key", "more", "one"],
)
def test_words_are_a_cipher_stream_of_which_no_word_comes_twice(system: System, counts: list[int]) -> None:
    """In order, and no more than one mebibyte under one key; what was handed out is gone from the buffer."""
    source = SystemEntropy()
    found = [source.words(count) for count in counts]
    assert [len(words) for words in found] == counts
    whole, taken = np.concatenate(streams_of(system)), [(0, 0)]
    for words in found:
        if len(words):
            (start,) = np.flatnonzero(whole == words[0])
            assert np.array_equal(whole[start : start + len(words)], words)
            taken.append((int(start), int(start) + len(words)))
    assert all(end <= start for (_, end), (start, _) in pairwise(sorted(taken)))
    assert len({secret[:KEY] for secret in system.secrets()}) == len(system.answers)
    store = source._buffer.store
    assert not store.words[: store.used].any()
    if len(left := store.words[store.used :]):
        (start,) = np.flatnonzero(whole == left[0])
        assert not any(first < start + len(left) and start < end for first, end in taken)


def test_what_is_handed_out_is_a_copy(system: System) -> None:
    """Whoever writes over it, or keeps it, has nothing of what others get."""
    source = SystemEntropy()
    first, kept = source.words(8), source.words(8)
    before = kept.copy()
    first[:] = 0
    source.words(600)
    assert np.array_equal(kept, before)
    assert len(system.answers) == 1


@pytest.mark.parametrize("package", [True, False])
def test_fresh_words_are_as_many_as_were_asked_for(
    system: System, monkeypatch: pytest.MonkeyPatch, package: bool
) -> None:
    """With the cipher or without; no key is used for more words than it may, which are few here."""
    monkeypatch.setattr(fast_keystream, "WORDS_PER_KEY", 64)
    if not package:
        monkeypatch.setattr(fast_keystream, "_CIPHERS", None)
    for count in (1, 2, 7, 63, 64, 65, 130, 193):
        before = len(system.answers)
        words = fresh_words(count)
        assert words.shape == (count,)
        if package:
            assert len(system.answers) - before == -(-count // 64)
            streams = [stream[:64] for stream in streams_of(system)[before:]]
            assert np.array_equal(words, np.concatenate(streams)[:count])
        else:
            assert words.tobytes() == system.secrets()[-1]
            assert words.flags.writeable, "it is written over when it was used"


# To one


DRAWS: dict[str, Callable[[Any], object]] = {
    "bits": lambda source: source.bits(128),
    "words": lambda source: source.words(4).tolist(),
    "many-bits": lambda source: hex(source.bits(40_000)),
    "many-words": lambda source: source.words(WORDS_PER_KEY)[-4:].tolist(),
}


def in_child(fork: Callable[[], int], draw: Callable[[], object]) -> object:
    """Return what a child draws."""
    reader, writer = os.pipe()
    child = fork()
    if child == 0:
        try:
            os.write(writer, hashlib.blake2b(repr(draw()).encode()).digest())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        found = pipe.read()
    os.waitpid(child, 0)
    assert len(found) == 64
    return found


def fork_by_c() -> int:
    """Fork without telling Python."""
    return int(ctypes.PyDLL(None).fork())


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("fork", [os.fork, fork_by_c], ids=["python", "c"])
def test_a_child_draws_other_bits_than_its_parent(fork: Callable[[], int], draw: str) -> None:
    source = SystemEntropy()
    source.bits(8), source.words(2)

    def drawn() -> object:
        return DRAWS[draw](source)

    first, second = in_child(fork, drawn), in_child(fork, drawn)
    assert len({first, second, hashlib.blake2b(repr(drawn()).encode()).digest()}) == 3


def test_a_child_holds_nothing_of_what_its_parent_will_draw() -> None:
    source = SystemEntropy()
    source.bits(8), source.words(2)
    store = source._buffer.store

    def held() -> bool:
        return any(store.data) or bool(store.words.any())

    assert held(), "control"
    assert in_child(os.fork, held) == hashlib.blake2b(b"False").digest()
    assert source.words(64).any(), "control"


def test_what_a_child_does_first_leaves_nothing_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Python calls in a child is called here, and then what the kernel does to a page is done to it."""
    monkeypatch.setattr(entropy, "_FORKS", entropy._FORKS)  # for whatever else this process has begun
    source = SystemEntropy()
    for step in (entropy._after_fork_in_child, lambda: entropy._PAGE.__setitem__(0, 0)):
        source.bits(8), source.words(2)
        before, store = entropy.process_identity(), source._buffer.store
        assert any(store.data)
        step()
        assert entropy.process_identity() not in (before, store.owner)
        assert entropy.process_identity() == entropy.process_identity()
        assert entropy._PAGE[0]
        assert not any(store.data)
        assert not store.words.any()
        assert source.bits(64)
        assert source.words(64).any()
        assert source._buffer.store is not store


@pytest.mark.skipif(sys.platform != "linux", reason="no other kernel wipes a page")
def test_a_page_that_tells_of_a_fork_is_the_one_of_the_process_that_made_it() -> None:
    page = entropy._marked_page()
    assert page[0]
    assert in_child(fork_by_c, lambda: page[0]) == hashlib.blake2b(b"0").digest()
    assert page[0], "control"


@pytest.mark.parametrize("name", ["_low_bits", "system_bytes", "fresh_words"], ids=["claimed", "fetched", "made"])
@pytest.mark.parametrize("draw", DRAWS)
def test_a_fork_amid_a_draw_gives_the_child_other_bits(monkeypatch: pytest.MonkeyPatch, name: str, draw: str) -> None:
    """A signal handler may fork at any line: here, after something was fetched or claimed."""
    source = SystemEntropy()
    children: list[int] = []
    original, (reader, writer) = getattr(entropy, name), os.pipe()

    def forking(*given: Any) -> Any:
        found = original(*given)
        if not children:
            children.append(os.fork())
        return found

    monkeypatch.setattr(entropy, name, forking)
    try:
        found = hashlib.blake2b(repr(DRAWS[draw](source)).encode()).digest()
        if children and children[0] == 0:
            os.write(writer, found)
    finally:
        if children and children[0] == 0:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        other = pipe.read()
    if children:
        os.waitpid(children[0], 0)
        assert len(other) == 64
    assert other != found


def test_threads_draw_from_buffers_of_their_own(system: System) -> None:
    source, found = SystemEntropy(), []
    for _ in range(3):
        thread = threading.Thread(target=lambda: found.append((source.bits(128), *source.words(4).tolist())))
        thread.start()
        thread.join()
    found.append((source.bits(128), *source.words(4).tolist()))
    assert len({number for numbers in found for number in numbers}) == 20
    assert len(system.answers) == 8


def test_bits_of_a_seed_are_never_said_to_be_secret() -> None:
    """Its words are its bits, 64 at a time."""
    assert (SystemEntropy().private, SeededEntropy(1).private) == (True, False)
    words, bits = SeededEntropy(5), SeededEntropy(5)
    assert words.words(1000).tolist() == [bits.bits(64) for _ in range(1000)]
    assert words.words(3).tolist() != SeededEntropy(6).words(3).tolist()

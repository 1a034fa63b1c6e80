"""Where random bits come from.

Every sampler of the library draws its bits through `Entropy.bits`, or in bulk through `Entropy.words`. A guarantee
assumes that these bits are independent and uniform and that nobody else sees them. `SystemEntropy` asks the operating
system, and is as good as the system's generator: the guarantee becomes a computational one, and a snapshot of a virtual
machine that is resumed twice replays whatever had been buffered. Its words in bulk are a cipher's stream under keys of
the system, with the assumptions of `fast_keystream`. `SeededEntropy` can be reproduced by anybody who knows the seed,
so it marks everything that it touches as not private.

`SystemEntropy` hands out copies and overwrites what it hands out, so that it holds no bit that was used. What is not
wiped is what Python and numpy give back to their allocators: temporaries of a draw may be read in a core dump until
something else is written there.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import sys
import threading
import weakref
from contextlib import suppress
from typing import Protocol

import numpy as np

from dpmatrix.errors import InvalidParameterError
from dpmatrix.randomness.fast_keystream import CIPHER, WORDS_PER_KEY, Words, fresh_words, system_bytes

BUFFER_BYTES = 4096
FIRST_WORDS = 1024
"""Words of the first buffer; each next one is twice as long, up to `WORDS_PER_KEY`."""
_FORKS = 0
_WIPE_ON_FORK = 18
"""MADV_WIPEONFORK of Linux: the kernel itself gives a child zeros in place of the page."""
_NOBODY = (0, 0)
"""No process has the number zero."""


class Entropy(Protocol):
    """A source of independent uniform bits.

    A source that keeps what it has given out gives away the noise that was made of it; a mechanism that guarantees
    something of its memory needs one that does not.
    """

    @property
    def private(self) -> bool:
        """Whether the bits are secret, so that a guarantee may rest on them."""
        ...

    @property
    def description(self) -> str:
        """Name of the source, as a release records it."""
        ...

    def bits(self, count: int) -> int:
        """Draw a uniform integer in ``[0, 2**count)``."""
        ...

    def words(self, count: int) -> Words:
        """Draw ``count`` independent uniform 64-bit words, which nobody else will be given."""
        ...


def _after_fork_in_child() -> None:
    global _FORKS
    _FORKS += 1
    _PAGE[0] = 1
    for store in list(_STORES):
        store.erase()


os.register_at_fork(after_in_child=_after_fork_in_child)


def _marked_page() -> mmap.mmap:
    page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if sys.platform == "linux":
        with suppress(OSError):
            page.madvise(_WIPE_ON_FORK)
    page[0] = 1
    return page


_PAGE = _marked_page()


def process_identity() -> tuple[int, int]:
    """Tell this process from its parent and from its children: what was drawn in another process is not ours.

    The number of the process does not suffice, since it can come again, nor the hook, since code in C may fork without
    telling Python. On Linux a page that the kernel wipes tells also of that.
    """
    if not _PAGE[0]:
        _after_fork_in_child()
    return os.getpid(), _FORKS


class _Store:
    """Bits that one thread has fetched and not yet used; those that it used are zeros."""

    def __init__(self) -> None:
        self.data, self.position = bytearray(), 0
        self.words: Words = np.empty(0, dtype=np.uint64)
        self.used = 0
        self.owner = process_identity()
        _STORES.add(self)

    def erase(self) -> None:
        """Overwrite everything with zeros where it stands, and disown it, so that nobody draws from it again."""
        self.owner = _NOBODY
        self.data[:] = bytes(len(self.data))
        self.words.fill(0)


_STORES: weakref.WeakSet[_Store] = weakref.WeakSet()
"""All stores of this process: a child overwrites its copies of them before anything else in it runs."""


class _Buffer(threading.local):
    """The store of the thread that asks."""

    def __init__(self) -> None:
        self.store = _Store()


class SystemEntropy:
    """Bits from the operating system (`os.urandom`), fetched in blocks, and words from the cipher of `fast_keystream`.

    Each thread has its own buffer, so that threads need no lock and never share a bit. A child process overwrites the
    buffers that it inherits: otherwise parent and child would draw the same noise, and the difference of their releases
    would be free of it. A child that was forked by code in C, which tells Python nothing, does so when it first draws.
    """

    private = True
    description = f"operating system; words by {CIPHER}"

    def __init__(self) -> None:
        self._buffer = _Buffer()

    def bits(self, count: int) -> int:
        """Draw a uniform integer in ``[0, 2**count)``.

        Raises
        ------
        InvalidParameterError
            If ``count`` is negative.
        EntropyError
            If the operating system gives no random bytes.
        """
        size = _byte_count(count)
        store = self._own_store()
        if size > len(store.data) - store.position:
            fresh = bytearray(system_bytes(max(size, BUFFER_BYTES)))
            store.data, store.position = fresh, 0
        # Claimed before anything is called: a signal handler that draws in between gets others.
        data, start = store.data, store.position
        store.position = end = start + size
        bits = _low_bits(data[start:end], count)
        data[start:end] = bytes(size)
        # A handler may also fork, at any line above: what the child has here is its parent's, or zeros.
        return bits if store.owner == process_identity() else self.bits(count)

    def words(self, count: int) -> Words:
        """Draw ``count`` uniform 64-bit words from the cipher stream of `fast_keystream`.

        Raises
        ------
        InvalidParameterError
            If ``count`` is negative.
        EntropyError
            If the operating system gives no key.
        """
        _byte_count(count)
        store = self._own_store()
        if count >= WORDS_PER_KEY:
            chunk = fresh_words(count)
            return chunk if store.owner == process_identity() else self.words(count)
        if count > len(store.words) - store.used:
            fresh = fresh_words(min(max(count, FIRST_WORDS, 2 * len(store.words)), WORDS_PER_KEY))
            store.words, store.used = fresh, 0
        # Claimed before anything is called, as in `bits`. A view would leave the words where the next look finds them.
        words, start = store.words, store.used
        store.used = end = start + count
        chunk = words[start:end].copy()
        words[start:end] = 0
        return chunk if store.owner == process_identity() else self.words(count)

    def _own_store(self) -> _Store:
        store = self._buffer.store
        if store.owner != process_identity():
            store.erase()
            # What a draw that the fork interrupted still puts into the old one is not used.
            self._buffer.store = store = _Store()
        return store


class SeededEntropy:
    """Bits that a seed determines, for tests: SHAKE-256 in counter mode. Never private.

    Parameters
    ----------
    seed
        Any integer; it fixes the sequence of bytes, of which every call takes as many as it needs.
    """

    private = False

    def __init__(self, seed: int) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise InvalidParameterError("seed", f"{seed!r} is not an integer", "pass an int")
        self._key = f"dpmatrix/{seed}/".encode()
        self._blocks = 0
        self._data = b""
        self.description = f"seed {seed}"

    def bits(self, count: int) -> int:
        """Draw the next integer in ``[0, 2**count)``.

        Raises
        ------
        InvalidParameterError
            If ``count`` is negative.
        """
        return _low_bits(self._take(_byte_count(count)), count)

    def words(self, count: int) -> Words:
        """Draw the next ``count`` words: the numbers that as many calls of ``bits(64)`` would give.

        Raises
        ------
        InvalidParameterError
            If ``count`` is negative.
        """
        _byte_count(count)
        return np.frombuffer(self._take(8 * count), dtype=">u8").astype(np.uint64)

    def _take(self, size: int) -> bytes:
        parts, ready = [self._data], len(self._data)
        while ready < size:
            block = self._key + self._blocks.to_bytes(8, "big")
            parts.append(hashlib.shake_256(block).digest(BUFFER_BYTES))
            ready += BUFFER_BYTES
            self._blocks += 1
        data = b"".join(parts)
        self._data = data[size:]
        return data[:size]


def _byte_count(count: int) -> int:
    if count < 0:
        raise InvalidParameterError("count", f"{count} bits", "ask for zero bits or more")
    return (count + 7) // 8


def _low_bits(chunk: bytes | bytearray, count: int) -> int:
    # Whole bytes are fetched; the surplus bits are thrown away, never reused.
    return int.from_bytes(chunk, "big") >> (8 * len(chunk) - count)

"""Words of the cipher, key by key: what is looked at is what is given out."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from dpmatrix.errors import EntropyError
from dpmatrix.randomness import fast_keystream
from dpmatrix.randomness.fast_keystream import WORDS_PER_KEY, fresh_words, system_bytes


@pytest.fixture
def cipher() -> None:
    """Ask for the cipher."""
    if fast_keystream._CIPHERS is None:
        pytest.skip("the cryptography package is absent")


def test_a_key_serves_for_so_many_blocks_of_the_cipher_as_the_bound_counts() -> None:
    """A mebibyte, or 2**16 blocks of 16 bytes."""
    assert 8 * WORDS_PER_KEY == 2**20 == 2**16 * 16


@pytest.mark.usefixtures("cipher")
@pytest.mark.parametrize("count", [1, 5, WORDS_PER_KEY, WORDS_PER_KEY + 7, 3 * WORDS_PER_KEY])
def test_all_words_of_every_key_are_looked_at(monkeypatch, count: int) -> None:
    """What is looked at is what is given out, one piece for each key; room beyond it is overwritten."""
    seen: list[bytes] = []

    def look(data: memoryview, source: str) -> None:
        assert source == "the cipher"
        seen.append(bytes(data))

    monkeypatch.setattr(fast_keystream, "check_pieces", look)
    words = fresh_words(count)
    assert words.shape == (count,)
    assert words.tobytes() == b"".join(seen)
    assert [len(piece) for piece in seen] == [
        8 * min(WORDS_PER_KEY, count - start) for start in range(0, count, WORDS_PER_KEY)
    ]
    assert len(words.base) > count
    assert not words.base[count:].any()


def ciphers(update_into: Callable[[memoryview, memoryview], int]) -> SimpleNamespace:
    """Return a package whose cipher writes what the function writes."""
    return SimpleNamespace(
        algorithms=SimpleNamespace(AES=lambda key: key),
        modes=SimpleNamespace(CTR=lambda counter: counter),
        Cipher=lambda *_: SimpleNamespace(encryptor=lambda: SimpleNamespace(update_into=update_into)),
    )


@pytest.mark.parametrize("written", [-1, 1])
def test_a_cipher_that_writes_something_else_is_an_error(monkeypatch, written: int) -> None:
    monkeypatch.setattr(fast_keystream, "_CIPHERS", ciphers(lambda zeros, _: len(zeros) + written))
    with pytest.raises(EntropyError, match=f"the cipher gave {80 + written} bytes instead of 80"):
        fresh_words(10)


@pytest.mark.parametrize("count", [1, 10, WORDS_PER_KEY, WORDS_PER_KEY + 1])
def test_a_cipher_has_room_for_all_but_a_byte_of_one_more_block(monkeypatch, count: int) -> None:
    """Versions of the package differ in whether they ask for it."""

    def update_into(zeros: memoryview, room: memoryview) -> int:
        assert not any(bytes(zeros))
        if len(room) < len(zeros) + 15:
            raise ValueError("there is no room for a block")
        room[: len(zeros)] = os.urandom(len(zeros))
        return len(zeros)

    monkeypatch.setattr(fast_keystream, "_CIPHERS", ciphers(update_into))
    assert len(set(fresh_words(count).tolist())) >= count - 1


@pytest.mark.usefixtures("cipher")
def test_each_key_and_its_counter_are_bytes_of_the_system(monkeypatch) -> None:
    asked: list[int] = []

    def give(size: int) -> bytes:
        asked.append(size)
        return system_bytes(size)

    monkeypatch.setattr(fast_keystream, "system_bytes", give)
    fresh_words(WORDS_PER_KEY + 1)
    assert asked == [32 + 16] * 2


def test_the_cipher_is_named_as_it_is_found(monkeypatch) -> None:
    """The module is read once more without the package that has the cipher, and then its words are the system's."""
    found = importlib.util.find_spec("cryptography") is not None
    assert ("AES-256-CTR keyed by os.urandom" if found else "os.urandom") == fast_keystream.CIPHER
    spec = importlib.util.spec_from_file_location("keystream_without_cipher", fast_keystream.__file__)
    assert spec is not None
    assert spec.loader is not None
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", None)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.CIPHER == "os.urandom"
    words = module.fresh_words(1000)
    assert (words.shape, words.dtype) == ((1000,), np.uint64)
    assert len(set(words.tolist())) == 1000


@pytest.mark.parametrize("size", [0, 1, 31, 4096])
def test_as_many_bytes_of_the_system_as_asked_for(size: int) -> None:
    assert len(system_bytes(size)) == size

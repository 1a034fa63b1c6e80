"""A source of random bits that is stuck, fails or gives something else than it was asked for is refused.

Constants, short periods and recent answers would be published as noise, which then can be taken away. The operating
system and the cipher are played. Nothing is statistical.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.randomness import fast_keystream, source_health
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.fast_keystream import WORDS_PER_KEY, fresh_words, system_bytes
from dpmatrix.randomness.fast_rectangles import take_words

TAG = 16
DRAWS: tuple[Callable[[Any], object], ...] = (lambda source: source.bits(128), lambda source: source.words(4))


def scripted(monkeypatch: pytest.MonkeyPatch, answers: Iterator[bytes]) -> None:
    monkeypatch.setattr(source_health, "_recent_tags", ())
    monkeypatch.setattr(os, "urandom", lambda size: next(answers)[:size])


def random_bytes(seed: int, size: int = 5000) -> bytes:
    return hashlib.shake_256(b"%d" % seed).digest(size)


@pytest.mark.parametrize("period", [1, 2, 7, 15, 16, 17, 100, 2049, 4000, 4079])
def test_an_answer_that_repeats_itself_is_refused(monkeypatch: pytest.MonkeyPatch, period: int) -> None:
    answer = (random_bytes(1, period) * 5000)[: 2 * 4096]
    scripted(monkeypatch, iter([answer] * 2))
    with pytest.raises(EntropyError):
        system_bytes(4096)
    scripted(monkeypatch, iter([random_bytes(1)]))
    assert len(system_bytes(4096)) == 4096, "control"


@pytest.mark.parametrize("between", range(16))
def test_an_answer_that_comes_again_is_refused(monkeypatch: pytest.MonkeyPatch, between: int) -> None:
    """After up to fifteen others, whatever follows its first bytes; also to another caller, as the next key."""
    again = random_bytes(0, TAG) + random_bytes(99)
    scripted(monkeypatch, iter([random_bytes(seed) for seed in range(between + 1)] + [again]))
    for _ in range(between + 1):
        system_bytes(48)
    with pytest.raises(EntropyError):
        system_bytes(4096)


@pytest.mark.parametrize("size", [48, 4096, 8 << 17])
def test_an_answer_with_equal_pieces_is_refused(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Pieces of sixteen bytes, up to eight and as far from each other as can be; the last one counts."""
    whole = random_bytes(1, TAG + size)
    last = len(whole) - TAG
    step = max(last // 7, TAG)
    starts = range(0, last + 1, step)
    for first, second in pairwise(starts):
        answer = bytearray(whole)
        answer[second : second + TAG] = answer[first : first + TAG]
        scripted(monkeypatch, iter([bytes(answer)]))
        with pytest.raises(EntropyError):
            system_bytes(size)


def test_answers_of_another_length_or_none_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in (lambda size: random_bytes(1, size - 1), lambda size: random_bytes(1, size + 1), lambda _: b""):
        monkeypatch.setattr(os, "urandom", wrong)
        with pytest.raises(EntropyError):
            system_bytes(48)

    def fails(size: int) -> bytes:
        raise OSError(size)

    monkeypatch.setattr(os, "urandom", fails)
    for draw in DRAWS:
        with pytest.raises(EntropyError):
            draw(SystemEntropy())


class Stuck:
    """A cipher whose stream is not one: it writes nothing, too little, or a piece again and again."""

    def __init__(self, pieces: Callable[[int], bytes], claimed: int) -> None:
        self.pieces, self.claimed = pieces, claimed
        self.algorithms = self.modes = self

    def __getattr__(self, _name: str) -> Callable[..., Stuck]:
        return lambda *_: self

    def update_into(self, data: bytes, room: memoryview) -> int:
        """Write something else."""
        found = self.pieces(len(data))
        room[: len(found)] = found
        return len(data) + self.claimed


@pytest.mark.parametrize("claimed", [0, -8, -1, 8], ids=["stuck", "short", "shorter-by-a-byte", "long"])
@pytest.mark.parametrize("size", [64, 1000, WORDS_PER_KEY])
def test_a_cipher_that_is_stuck_or_stops_is_refused(monkeypatch: pytest.MonkeyPatch, size: int, claimed: int) -> None:
    pieces = (lambda size: random_bytes(1, size)) if claimed else bytes
    monkeypatch.setattr(fast_keystream, "_CIPHERS", Stuck(pieces, claimed))
    with pytest.raises(EntropyError):
        fresh_words(size)
    monkeypatch.setattr(fast_keystream, "_CIPHERS", Stuck(lambda size: random_bytes(1, size), 0))
    assert len(fresh_words(size)) == size, "control"


@pytest.mark.parametrize("place", [0, 1, 2, 199])
def test_a_cipher_that_is_stuck_under_a_later_key_is_refused(monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    """A key is used for 64 words here, and the last one for fewer."""
    count = 64 * place + 62
    monkeypatch.setattr(fast_keystream, "WORDS_PER_KEY", 64)
    keys: list[int] = []

    def pieces(size: int) -> bytes:
        keys.append(len(keys))
        return bytes(size) if keys[-1] == place else random_bytes(len(keys), size)

    monkeypatch.setattr(fast_keystream, "_CIPHERS", Stuck(pieces, 0))
    with pytest.raises(EntropyError):
        fresh_words(count)
    assert len(keys) == place + 1
    assert len(fresh_words(count)) == count, "control"


class Given:
    """A source that gives what it is told."""

    private, description = True, "given"

    def __init__(self, words: Any) -> None:
        self.given = words

    def bits(self, count: int) -> int:
        """Give none."""
        raise NotImplementedError(count)

    def words(self, count: int) -> Any:  # noqa: ARG002
        """Give it."""
        return self.given


def test_words_that_are_one_word_or_not_as_many_are_refused() -> None:
    good = np.arange(8, dtype=np.uint64)
    for wrong in (good[:7], good.astype(np.int64), good.reshape(2, 4), list(range(8)), np.full(8, 7, dtype=np.uint64)):
        with pytest.raises(EntropyError):
            take_words(Given(wrong), 8)
    for more in (4, 5, 100):
        with pytest.raises(EntropyError):
            take_words(Given(np.full(more, 3, dtype=np.uint64)), more)
        assert take_words(Given(np.arange(more, dtype=np.uint64)), more).tolist() == list(range(more)), "control"
    for source in (SystemEntropy(), SeededEntropy(1)):
        for draw in (source.bits, source.words):
            with pytest.raises(InvalidParameterError):
                draw(-1)

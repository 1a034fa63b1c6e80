"""A source of random bits that is stuck: refused before noise is drawn of it, and nothing is released."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpmatrix.errors import EntropyError
from dpmatrix.mechanisms import LaplaceInputPerturbation, SymmetrisedWishartMechanism
from dpmatrix.randomness import fast_keystream, source_health
from dpmatrix.randomness.entropy import SystemEntropy
from dpmatrix.randomness.integer_noise import discrete_gaussian_noise, discrete_laplace_noise
from dpmatrix.randomness.source_health import REMEMBERED, check_answer, check_pieces, is_constant

GENUINE = os.urandom
DRAWS: dict[str, Callable[[SystemEntropy], object]] = {
    "few bits": lambda entropy: entropy.bits(1),
    "many bits": lambda entropy: entropy.bits(8 * 100_000),
    "few words": lambda entropy: entropy.words(3),
    "many words": lambda entropy: entropy.words(1 << 18),
}
MECHANISMS = (LaplaceInputPerturbation(1), SymmetrisedWishartMechanism(1))


def periodic(period: int) -> Callable[[int], bytes]:
    """Return a generator that begins again and again with the same bytes."""
    block = GENUINE(period)
    return lambda size: (block * (size // period + 1))[:size]


STUCK: dict[str, Callable[[int], bytes]] = {
    "zeros": bytes,
    "ones": lambda size: b"\xff" * size,
    **{f"period {period}": periodic(period) for period in (1, 3, 5, 8, 16, 17, 24, 32, 40, 48)},
    "fair at first, then zeros": lambda size: (GENUINE(24) + bytes(size))[:size],
    "zeros in the second half": lambda size: GENUINE(size - size // 2) + bytes(size // 2),
}


@pytest.fixture(params=["cipher", "system"])
def source(request, monkeypatch) -> None:
    if request.param == "system":
        monkeypatch.setattr(fast_keystream, "_CIPHERS", None)
    elif fast_keystream._CIPHERS is None:
        pytest.skip("the cryptography package is absent")


@pytest.mark.parametrize("stuck", STUCK)
@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.usefixtures("source")
def test_an_answer_that_repeats_itself_is_refused_at_once(monkeypatch, stuck: str, draw: str) -> None:
    monkeypatch.setattr(os, "urandom", STUCK[stuck])
    with pytest.raises(EntropyError, match="stuck"):
        DRAWS[draw](SystemEntropy())


@pytest.mark.usefixtures("source")
def test_an_answer_that_was_given_before_is_refused(monkeypatch) -> None:
    """A generator that is put back into an older state, in turn with up to `REMEMBERED` answers."""
    for cycle in (1, 2, REMEMBERED):
        answers = itertools.cycle([GENUINE(1 << 20) for _ in range(cycle)])
        monkeypatch.setattr(os, "urandom", lambda size, answers=answers: next(answers)[:size])
        drawn = [SystemEntropy().bits(64) for _ in range(cycle)]
        assert len(set(drawn)) == cycle
        with pytest.raises(EntropyError, match="same random bytes again"):
            SystemEntropy().bits(64)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: one.name)
@pytest.mark.parametrize("stuck", ["zeros", "period 16"])
def test_nothing_is_released_of_a_stuck_generator(monkeypatch, mechanism: Any, stuck: str) -> None:
    monkeypatch.setattr(os, "urandom", STUCK[stuck])
    with pytest.raises(EntropyError, match="stuck"):
        mechanism.release([[0.5, 0.25]])


class Constant:
    """A source of somebody else that says that it is secret and gives one word."""

    private = True
    description = "a source of constants"

    def __init__(self, word: int) -> None:
        self.word = word

    def bits(self, count: int) -> int:
        """Return some bits."""
        return self.word & ((1 << count) - 1)

    def words(self, count: int) -> np.ndarray:
        """Return one word all the time."""
        return np.full(count, self.word, dtype=np.uint64)


@pytest.mark.parametrize("word", [0, 2**64 - 1, 0x123456789ABCDEF0])
@pytest.mark.parametrize("noise", [discrete_laplace_noise, discrete_gaussian_noise])
def test_another_source_of_constants_is_refused(noise: Callable[..., object], word: int) -> None:
    with pytest.raises(EntropyError, match="one and the same word again"):
        noise(10**6, 6, Constant(word))
    for mechanism in MECHANISMS:
        with pytest.raises(EntropyError, match="one and the same word again"):
            mechanism.release(np.full((2, 3), 0.25), entropy=Constant(word))


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_so_few_words_may_be_equal_by_chance(count: int) -> None:
    """And four are not: three entries of a matrix are drawn from three words."""
    assert not is_constant(np.full(count, 7, dtype=np.uint64))
    assert is_constant(np.full(4 + count, 7, dtype=np.uint64))
    assert not is_constant(np.array([7, 7, 7, 8], dtype=np.uint64))


def test_a_cipher_that_writes_nothing_is_noticed(monkeypatch) -> None:
    class Silent:
        """Says that it has written."""

        def __getattr__(self, _name: str) -> Any:
            return self

        def __call__(self, *_: object) -> Any:
            return self

        def update_into(self, data: memoryview, room: memoryview) -> int:
            """Leave zeros."""
            room[: len(data)] = bytes(len(data))
            return len(data)

    monkeypatch.setattr(fast_keystream, "_CIPHERS", Silent())
    with pytest.raises(EntropyError, match="cipher"):
        SystemEntropy().words(4)


def test_what_was_handed_out_is_not_remembered() -> None:
    """The tag is used for nothing else; with the cipher the answer is a key, and without it the words themselves."""
    first, second = GENUINE(64), GENUINE(4112)
    check_answer(first)
    check_answer(second)
    assert source_health._recent_tags[:2] == (second[:16], first[:16])
    assert all(len(tag) == 16 for tag in source_health._recent_tags)
    assert len(source_health._recent_tags) <= REMEMBERED
    drawn = SystemEntropy().bits(8 * 5000).to_bytes(5000, "big")
    assert source_health._recent_tags[0] not in drawn


def various(size: int, name: str = "") -> bytes:
    """Return bytes that are no less various than fair ones, always the same."""
    return hashlib.shake_256(name.encode()).digest(size)


def is_refused(check: Callable[..., None], *arguments: object) -> bool:
    try:
        check(*arguments)
    except EntropyError:
        return True
    return False


@pytest.mark.parametrize("size", [48, 127, 128, 129, 143, 1000, 4112, 100_003])
def test_any_two_of_eight_pieces_are_compared_and_nothing_else(size: int) -> None:
    """Eight starts at equal distances where the pieces do not overlap then, and else one piece after the other."""
    distance = max((size - 16) // 7, 16)
    starts = [distance * piece for piece in range(8) if distance * piece + 16 <= size]
    assert len(starts) == min(8, size // 16)
    for one, other in itertools.combinations(starts, 2):
        data = bytearray(various(size))
        data[other : other + 16] = data[one : one + 16]
        assert is_refused(check_pieces, bytes(data), "it")
        assert is_refused(check_pieces, memoryview(data), "it")
        data[other + 15] ^= 1
        assert not is_refused(check_pieces, bytes(data), "it")
    for one, other in itertools.product(starts, (20, starts[-1] - 20) if distance > 52 else ()):
        data = bytearray(various(size))
        data[other : other + 16] = data[one : one + 16]
        assert not is_refused(check_pieces, bytes(data), "it"), "the second one is between pieces"


@pytest.mark.parametrize("place", [1, 2, 15, 16, 17, 1000, 4079, 4080, 4081, 5000])
def test_a_tag_that_comes_again_in_the_first_4_kib_is_refused(place: int) -> None:
    """At one place less than 16 bytes on, the tag repeats a part of itself."""
    tag = (various(place, f"{place}") * 16)[:16]
    answer = bytearray(tag + various(8192 - 16, "the rest"))
    answer[place : place + 16] = tag
    assert is_refused(check_answer, bytes(answer)) is (place + 16 <= 4096)


@pytest.mark.parametrize("later", [0, 1, 14, 15, 16, 17, 30])
def test_sixteen_tags_are_remembered(later: int) -> None:
    """The tag of an answer is refused after up to fifteen others, and forgotten after sixteen."""
    for number in range(40):
        check_answer(GENUINE(16) + various(16, f"{number}"))
    first = GENUINE(16)
    check_answer(first + various(16))
    for _ in range(later):
        check_answer(GENUINE(64))
    assert is_refused(check_answer, first + various(32)) is (later < 16)


@pytest.mark.parametrize("size", [0, 1, 8, 15, 16, 17, 31, 32, 33, 64, 255, 256, 257, 4112, 100_003])
def test_control_fair_bytes_of_every_size_pass(size: int) -> None:
    """Each is refused with a probability below 2**-115. Hashes of a counter are no less various than fair bytes."""
    for turn in range(50):
        check_answer(GENUINE(16 + size))
        check_pieces(hashlib.shake_256(bytes([turn])).digest(size), "shake")


def test_limit_a_generator_with_a_long_period_or_a_known_seed_passes(monkeypatch) -> None:
    """What this cannot find: numbers that somebody else can predict are as various as fair ones."""
    counter = itertools.count()
    monkeypatch.setattr(os, "urandom", lambda size: hashlib.shake_256(f"{next(counter)}".encode()).digest(size))
    assert SystemEntropy().words(4).any()

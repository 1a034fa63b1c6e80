"""A signal handler that forks in the middle of a draw: the child gets other bits than its parent, whatever was held."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest

from dpmatrix.randomness import entropy as module
from dpmatrix.randomness.entropy import SystemEntropy, process_identity
from dpmatrix.randomness.fast_keystream import WORDS_PER_KEY


def filled() -> tuple[SystemEntropy, bytearray, np.ndarray]:
    """Return a source that has used some bits and words, with its buffers as they are held."""
    entropy = SystemEntropy()
    entropy.bits(200)
    entropy.words(3)
    store = entropy._buffer.store
    assert any(store.data)
    assert store.words.any()
    return entropy, store.data, store.words


def test_bits_that_were_claimed_when_a_handler_forked_are_not_given_to_the_child(monkeypatch) -> None:
    """In the middle of a draw the buffers are overwritten, as in a child of a signal handler."""
    entropy, data, _ = filled()
    place, genuine, calls = entropy._buffer.store.position, module._low_bits, []
    next_bits = int.from_bytes(data[place : place + 32], "big")

    def interrupted(chunk: bytes, count: int) -> int:
        calls.append(count)
        if len(calls) == 1:
            module._PAGE[0] = 0
            process_identity()
        return genuine(chunk, count)

    monkeypatch.setattr(module, "_low_bits", interrupted)
    assert entropy.bits(256) != next_bits
    assert calls == [256, 256]
    # Control: a draw that nobody interrupts is made once, of the bits that come next.
    data = entropy._buffer.store.data
    place = entropy._buffer.store.position
    next_bits = int.from_bytes(data[place : place + 32], "big")
    assert entropy.bits(256) == next_bits
    assert calls == [256, 256, 256]


FETCHES: list[tuple[str, Callable[[SystemEntropy], bytes]]] = [
    ("system_bytes", lambda entropy: entropy.bits(256).to_bytes(32, "big")),
    ("fresh_words", lambda entropy: entropy.words(4).tobytes()),
    ("fresh_words", lambda entropy: entropy.words(WORDS_PER_KEY)[:4].tobytes()),
]


@pytest.mark.parametrize(("name", "draw"), FETCHES, ids=["bits", "words", "many words"])
def test_a_fork_while_bits_are_fetched_leaves_the_child_none_of_them(monkeypatch, name: str, draw) -> None:
    """A handler that forks as soon as the bits are there: this draw and the next have nothing in common."""
    genuine, entropy = getattr(module, name), SystemEntropy()
    receiver, sender = os.pipe()
    children: list[int] = []

    def fetch(size: int) -> object:
        fetched = genuine(size)
        if not children:
            children.append(os.fork())
        return fetched

    monkeypatch.setattr(module, name, fetch)
    drawn = b""
    try:
        drawn = draw(entropy) + draw(entropy)
    finally:
        if children == [0]:
            os.write(sender, drawn)
            os._exit(0)
    os.waitpid(children[0], 0)
    os.close(sender)
    theirs = os.read(receiver, 1024)
    os.close(receiver)
    assert len(theirs) == len(drawn) == 64
    assert drawn[:32] != theirs[:32]
    assert drawn[32:] != theirs[32:]


@pytest.mark.parametrize(("name", "draw"), FETCHES, ids=["bits", "words", "many words"])
def test_a_draw_is_made_again_after_a_fork_and_not_otherwise(monkeypatch, name: str, draw) -> None:
    """The page is wiped while bits are fetched, as in a child: they are fetched once more, and only then used."""
    genuine, entropy, given = getattr(module, name), SystemEntropy(), []

    def fetch(size: int) -> object:
        given.append(bytes(genuine(size)))
        if len(given) == 1:
            module._PAGE[0] = 0
        return bytearray(given[-1]) if name == "system_bytes" else np.frombuffer(bytearray(given[-1]), np.uint64)

    monkeypatch.setattr(module, name, fetch)
    assert draw(entropy) == given[1][:32]
    assert len(given) == 2
    draw(entropy)
    assert len(given) == (3 if draw is FETCHES[2][1] else 2)


@pytest.mark.parametrize("number", [1, 2, 4_000_000])
@pytest.mark.parametrize("draw", [draw for _, draw in FETCHES[:2]], ids=["bits", "words"])
def test_a_store_that_was_erased_gives_nothing(monkeypatch, draw, number: int) -> None:
    """Its zeros are nobody's, whoever erased it and in whichever process: the first one of a container, for example."""
    monkeypatch.setattr(os, "getpid", lambda: number)
    monkeypatch.setattr(module, "_FORKS", 0)
    entropy, data, words = filled()
    entropy._buffer.store.erase()
    assert any(draw(entropy))
    assert not any(data)
    assert not words.any()


class Interrupted(np.ndarray):
    """Words whose first copy is made in the middle of a fork."""

    copies: list[int]

    def copy(self) -> np.ndarray:
        """Overwrite all buffers at the first copy, having copied."""
        found = np.array(self)
        self.copies.append(len(self))
        if len(self.copies) == 1:
            module._PAGE[0] = 0
            process_identity()
        return found


def test_words_that_were_claimed_when_a_handler_forked_are_not_given_to_the_child() -> None:
    entropy, _, _ = filled()
    store = entropy._buffer.store
    Interrupted.copies = []
    store.words = store.words.view(Interrupted)
    next_words = np.array(store.words[store.used : store.used + 4])
    assert (entropy.words(4) != next_words).all()
    # Control: without an interruption these are the words that come next.
    store = entropy._buffer.store
    store.words = store.words.view(Interrupted)
    next_words = np.array(store.words[store.used : store.used + 4])
    assert (entropy.words(4) == next_words).all()
    assert Interrupted.copies == [4, 4]

"""Repetitions of outputs: what independent outputs do not show, and what honest discrete ones do."""

from __future__ import annotations

import numpy as np
import pytest

from dpmatrix.auditing.independence.repeats import (
    CALLS,
    Drawn,
    are_frozen,
    are_kept,
    are_periodic,
    are_repeated,
    begin_alike,
    chance_of_beginning_alike,
    repetition,
)

RANDOM = np.random.default_rng(20160212)
SIZES = (CALLS, 240, 1792)
LAWS = {
    "floats": lambda size: RANDOM.laplace(size=size),
    "vectors": lambda size: RANDOM.normal(size=(size, 3)),
    "matrices": lambda size: RANDOM.normal(size=(size, 2, 2)),
    "a fair coin": lambda size: RANDOM.integers(2, size=size).astype(float),
    "a response of epsilon 1": lambda size: (RANDOM.random(size) < 0.27).astype(float),
    "a rare flip": lambda size: (RANDOM.random(size) < 0.002).astype(float),
    "a histogram": lambda size: np.rint(RANDOM.laplace(scale=2, size=(size, 4))),
    "a constant": lambda size: np.zeros(size),
    "one of a thousand": lambda size: RANDOM.integers(1000, size=size).astype(float),
    "noise with atoms": lambda size: np.maximum(RANDOM.laplace(size=size), 0.0),
    "not a number": lambda size: np.full(size, np.nan),
    "half a flag": lambda size: np.stack([RANDOM.laplace(size=size), np.ones(size)], axis=1),
}


def drawn(law, process: int) -> Drawn:
    return Drawn(process, tuple(LAWS[law](size) for size in SIZES))


@pytest.mark.parametrize("law", LAWS)
def test_independent_outputs_never_repeat(law: str) -> None:
    """Each comparison is wrong with probability at most exp(-40) or 4**-24, and there are fewer than 10**5 of them."""
    for _ in range(20):
        assert repetition([drawn(law, process) for process in (0, 0, 1, 2)]) is None


NOISY = ["floats", "vectors", "matrices", "a response of epsilon 1", "a histogram", "half a flag"]


@pytest.mark.parametrize("law", NOISY)
def test_the_same_stream_elsewhere_is_a_repetition(law: str) -> None:
    first = drawn(law, 0)
    for other in (Drawn(1, first.batches), Drawn(1, first.batches[:2])):
        assert "two processes draw the same" in str(repetition([drawn(law, 2), first, other]))


def test_one_coordinate_of_many_is_enough() -> None:
    first, other = (RANDOM.normal(size=(CALLS, 5)) for _ in range(2))
    assert not are_repeated(first, other)
    other[:, 3] = first[:, 3]
    assert are_repeated(first, other)
    assert are_repeated(np.where(first < 0, np.nan, first), np.where(first < 0, -np.nan, first))


def test_what_is_kept_differs_between_two_processes_only() -> None:
    noise, values = RANDOM.normal(size=(2, CALLS, 1)), np.ones((CALLS, 1))
    first, other = np.hstack([noise[0], values]), np.hstack([noise[1], 2 * values])
    assert are_kept(first, other)
    assert not are_kept(first, first)
    assert not are_kept(first[:-1], other[:-1]), "too few outputs for a probability of 4**-24"


@pytest.mark.parametrize(
    "outputs",
    [
        np.tile(RANDOM.normal(size=100), 20),
        np.repeat(RANDOM.normal(size=1000), 2),
        np.repeat(RANDOM.normal(size=20), 100),
        np.stack([np.repeat(RANDOM.normal(size=20), 100), RANDOM.normal(size=2000)], axis=1),
        np.tile(RANDOM.integers(2, size=200).astype(float), 10),
    ],
    ids=["a table in turn", "each twice", "runs", "runs in one coordinate", "coins in turn"],
)
def test_outputs_that_come_back_are_periodic(outputs: np.ndarray) -> None:
    assert are_periodic(outputs)
    shuffled = np.stack([RANDOM.permutation(column) for column in outputs.reshape(len(outputs), -1).T], axis=1)
    assert not are_periodic(shuffled)


def test_a_call_that_begins_anew_repeats_the_call_before() -> None:
    stream = RANDOM.normal(size=2000)
    assert "calls in one process" in str(repetition([Drawn(0, (stream[:CALLS], stream[:240], stream))]))


def test_frozen_is_constant_on_each_side_and_not_the_same() -> None:
    one, two = Drawn(0, (np.ones(CALLS),)), Drawn(0, (np.zeros(CALLS),))
    assert are_frozen([one], [two])
    assert not are_frozen([one], [one])
    assert not are_frozen([one, two], [two])
    assert not are_frozen([Drawn(0, (RANDOM.normal(size=CALLS),))], [two])


def test_processes_that_begin_alike_without_noise_are_noticed() -> None:
    """Three processes with the same first output: one that never comes back, and one that is merely likely."""
    generators = np.random.default_rng(11).spawn(3)
    batches = [(law.laplace(size=(24, 1)), law.laplace(size=(4000, 1))) for law in generators]
    drawn = [Drawn(process, batch) for process, batch in enumerate(batches)]
    assert not begin_alike(drawn)
    for first, _ in batches:
        first[0] = 1.0
    assert begin_alike(drawn)
    assert not begin_alike(drawn[:1]), "one process says nothing"
    few = [Drawn(one.process, one.batches[:1]) for one in drawn]
    assert not begin_alike(few), "nor do few outputs"
    assert chance_of_beginning_alike(few) == pytest.approx((2 / (np.e * 69)) ** 2)
    assert begin_alike([Drawn(process, few[0].batches) for process in range(7)]), "but of more processes they do"
    likely = [Drawn(one.process, tuple(np.rint(batch) for batch in one.batches)) for one in drawn]
    assert not begin_alike(likely)
    assert chance_of_beginning_alike(likely) == 1
    batches[1][0][0] = 2.0
    assert not begin_alike(drawn)

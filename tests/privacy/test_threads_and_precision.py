"""Threads that share the one precision of ball arithmetic: releases do not fail, and their noise is never less.

Every quantity that a law rests on is a ball, true at any precision: a table is made only where the ball is narrow, a
scale is its upper end, and a decision that a wide ball leaves open waits for more digits. Where a foreign thread leaves
too few bits for a scale, the mechanism refuses, whatever the records are.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from dpmatrix.errors import DpmatrixError
from dpmatrix.mechanisms import (
    AnalyzeGauss,
    LaplaceInputPerturbation,
    ModSulq,
    SymmetrisedWishartMechanism,
)
from dpmatrix.randomness import fast_discrete, float_functions
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_bernoulli import bernoulli_exp
from dpmatrix.randomness.fast_threshold import Threshold

THREADS, RELEASES = 8, 10_000
RECORDS = [[0.5, 0.25], [0.1, 0.2]]
MECHANISMS = (
    LaplaceInputPerturbation(1),
    SymmetrisedWishartMechanism(1),
    AnalyzeGauss(1, delta=Fraction(1, 10**6)),
    ModSulq(1, delta=Fraction(1, 10**6)),
)
TABLES = (float_functions.logarithm_table, float_functions.logarithm_of_two, float_functions.sector_tables)
RECTANGLES = (fast_discrete._exponential_sampler, fast_discrete._gaussian_sampler)


def forget() -> None:
    for kept in (*TABLES, *RECTANGLES):
        kept.cache_clear()


@pytest.fixture
def crowded() -> Iterator[None]:
    """Let threads change places as often as they can, and put the precision back where it was."""
    interval, precision = sys.getswitchinterval(), ctx.prec
    sys.setswitchinterval(1e-6)
    forget()
    yield
    sys.setswitchinterval(interval)
    ctx.prec = precision
    forget()


def side_by_side(work: Callable[[int], None], *others: Callable[[], None]) -> list[BaseException]:
    """Run work in `THREADS` threads, and others beside it; return what was raised."""
    raised: list[BaseException] = []

    def run(function: Callable[..., None], *arguments: int) -> None:
        try:
            function(*arguments)
        except BaseException as error:  # whatever it is, the test shows it
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work, number)) for number in range(THREADS)]
    threads += [threading.Thread(target=run, args=(other,)) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def scales() -> list[Fraction]:
    laplace, wishart, leader, sulq = MECHANISMS
    return [
        laplace.noise_scale(3),
        wishart.noise_scale(2, 2),
        leader.noise_variance(2),
        sulq.noise_variance(2),
    ]


def test_threads_of_this_library_alone(crowded) -> None:
    """Ten thousand small releases: none fails, and the tables are those of one thread."""
    right, scale = [np.array(table()) for table in TABLES], scales()
    forget()
    released: list[int] = []

    def work(number: int) -> None:
        for turn in range(RELEASES // THREADS):
            mechanism = MECHANISMS[(turn + number) % len(MECHANISMS)]
            released.append(len(mechanism.release(RECORDS, entropy=SeededEntropy(turn)).integers))

    assert side_by_side(work) == []
    assert len(released) == RELEASES
    assert all(np.array_equal(np.array(table()), kept) for table, kept in zip(TABLES, right, strict=True))
    assert scales() == scale


def test_a_foreign_thread_that_changes_the_precision(crowded) -> None:
    """It sets anything from 2 bits on, all the time; tables and scales are right or refused, and never too small."""
    right, scale = [np.array(table()) for table in TABLES], scales()
    forget()
    running = list(range(THREADS))

    def disturb() -> None:
        precision = 2
        while running:
            ctx.prec = precision = 2 + (7 * precision + 13) % 300

    def work(number: int) -> None:
        try:
            for turn in range(100):
                mechanism = MECHANISMS[(turn + number) % len(MECHANISMS)]
                with suppress(DpmatrixError):
                    mechanism.release(RECORDS, entropy=SeededEntropy(turn))
                    assert all(found >= least for found, least in zip(scales(), scale, strict=True))
        finally:
            running.remove(number)

    assert side_by_side(work, disturb) == []
    ctx.prec = 53
    assert all(np.array_equal(np.array(table()), kept) for table, kept in zip(TABLES, right, strict=True))


@pytest.mark.parametrize("precision", [2, 10, 30, 53, 300])
def test_a_bracket_is_true_at_any_precision(monkeypatch, precision: int) -> None:
    """As if another thread had set it in the middle; the integers are beyond what such a float could hold."""
    threshold = Threshold(Fraction(7, 3), Fraction(5, 7), Fraction(1, 9))
    right = threshold.bracket(200)

    class Disturbed:
        def __init__(self, _bits: int) -> None:
            self.before = ctx.prec

        def __enter__(self) -> None:
            ctx.prec = precision

        def __exit__(self, *_: object) -> None:
            ctx.prec = self.before

    monkeypatch.setattr("dpmatrix.randomness.fast_threshold.precision", Disturbed)
    lower, upper = threshold.bracket(200)
    assert lower <= right[0] < right[1] <= upper
    assert (precision < 200) == ((lower, upper) != right)
    assert arb(lower) <= arb(upper)


@pytest.mark.parametrize("bits", [40, 200, 2000])
def test_a_tiny_probability_is_not_written_out(bits: int) -> None:
    """Its float has so many bits behind the point that none of them is formed, and none is below zero."""
    assert Threshold(Fraction(1), Fraction(2**bits)).bracket(256) == (0, 1)
    assert not bernoulli_exp(2**bits, 100, SeededEntropy(1)).any()


def test_a_bracket_of_a_rational_multiple_is_its_floor_and_ceiling() -> None:
    """exp(-1/2) between integers, from mpmath's digits of its own."""
    with mpmath.workprec(400):
        digits = int(mpmath.floor(mpmath.exp(mpmath.mpf(-1) / 2) * mpmath.mpf(2) ** 128))
    lower, upper = Threshold(Fraction(1), Fraction(1, 2)).bracket(128)
    assert lower <= digits < digits + 1 <= upper <= lower + 2

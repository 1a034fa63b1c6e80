"""Theorem 14 of `sliding-window` for bounded rows: lines 12 to 14 select the largest noise, which gives a row away."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
from flint import arb, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import ball, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.largest_noise import LargestNoise, SurvivingNoise
from dpmatrix.spec.sliding_window.wishart_stream import MENDED, NoisyStream, history
from proofs_checks.exact_matrices import scalars

theorem_14 = cite("sliding-window.theorem-14@763b3875")

MILLIONTH, HALF = Fraction(1, 10**6), Fraction(1, 2)
LONG = LargestNoise(194, 10**4, Fraction(26274, 100), 1, MILLIONTH)


@theorem_14.refutes(
    "bounded-rows", grade="interval", region="eps = 1, delta = 10^-6, tau = 194: n = 1000, 10^4; tau = 427: n = 10^5"
)
def test_the_largest_noise_gives_a_bounded_row_away(statement) -> None:
    """The output is a^2 plus the largest of n independent chi-square variates R_1, ..., R_n.

    By induction over the rows: K~(1) is the largest noise so far, as zeros change no matrix. A newest matrix that is
    above K~(1) replaces everything; another one leaves K~(1) where it is, and Update never deletes the first. The last
    row adds a^2 to every matrix, the newest one included, so that the order is that of the noises.
    """
    for noise in product((1, 2, 4, 7), repeat=3):
        if len(set(noise)) < 3:
            continue
        for last in (0, 1):
            run = NoisyStream(fmpq_mat([[0], [0], [last]]), scalars(*noise), 3)
            held = history(run, attrs.evolve(MENDED, ordered=True))[-1]
            assert held[0].matrix[0, 0] == last + max(noise)
    for point, least in (
        (LONG, 77),
        (attrs.evolve(LONG, count=1000, threshold=Fraction(24384, 100)), 14),
        (attrs.evolve(LONG, degrees=427, count=10**5, threshold=Fraction(545)), 2),
    ):
        assert statement.at(point) is Truth.FALSE
        assert arb(10) ** -6 - statement.margin(point) > least * arb(10) ** -6
    lost = 1 - statement.margin(LONG) * 10**6
    theorem_14.tells("costs {} delta after {} rows", lost, LONG.count)
    theorem_14.tells("n = 10^4 it is {} delta", lost)
    assert statement.at(attrs.evolve(LONG, count=1)) is Truth.TRUE, "one noise hides a unit row"
    values = []
    with mpmath.workdps(60):
        large = product((20, 194), (1, 5, 90), (15, 100, 230), (1, Fraction(1, 3)))
        small = product((1,), (1, 2), (Fraction(1, 20), Fraction(19, 20), 1, Fraction(21, 20)), (1,))
        for degrees, count, threshold, epsilon in (*large, *small):
            zero, one = (
                mpmath.gammainc(mpmath.mpf(degrees) / 2, 0, max(real(t), 0) / 2, regularized=True) ** count
                for t in (threshold, threshold - 1)
            )
            value = mpmath.exp(real(epsilon)) * one + mpmath.mpf(1) / 20 - zero
            values.append((LargestNoise(degrees, count, threshold, epsilon, Fraction(1, 20)), value))
        bind(statement, values)
    assert not statement.strict
    outside = {
        "degrees >= 1, an integer": attrs.evolve(LONG, degrees=0),
        "count >= 1, an integer": attrs.evolve(LONG, count=0),
        "threshold > 0": attrs.evolve(LONG, threshold=0),
        "epsilon > 0": attrs.evolve(LONG, epsilon=0),
        "delta > 0": attrs.evolve(LONG, delta=0),
        "delta < 1": attrs.evolve(LONG, delta=1),
        "tau >= floor(1 + 14 log(1/delta)/eps^2)": attrs.evolve(LONG, degrees=193),
    }
    for inside in (LONG, attrs.evolve(LONG, degrees=1, epsilon=20)):
        bind_hypotheses(statement, inside, outside)
    assert statement.given[-1].strict
    # 14 log(10^6)/eps^2 is 30.95 at eps = 5/2 and 12.09 at eps = 4
    for degrees, epsilon, enough in ((31, Fraction(5, 2), True), (30, Fraction(5, 2), False), (12, 4, False)):
        point = attrs.evolve(LONG, degrees=degrees, epsilon=epsilon)
        assert statement.applies(point) is (Truth.TRUE if enough else Truth.FALSE)


SURVIVOR = SurvivingNoise(3, 14, 6, HALF)


@theorem_14.refutes(
    "surviving-noise", grade="derived", region="every c and p: tau = 3, 2^m >= log(1/p) e^(c tau log tau)"
)
def test_the_noise_of_a_survivor_outgrows_every_multiple(statement) -> None:
    """The noise of K~(1) is the largest of n = 2^m chi-square variates, by the induction of the item above.

    So the chance is F^n, and F <= 1 - e^(-x) for x = c tau log tau/2, as Pr(Gamma(a) > x) >= e^(-x) for a >= 1. Hence
    F^n <= exp(-n e^(-x)), which is below p for n > log(1/p) e^x, and log(1/p) < e^(log(1/p)).
    """

    def family(constant, success):
        x = rational(constant) * 3 * rational(Fraction(11, 10)) / 2 - ball(success).log()  # log 3 < 11/10
        return SurvivingNoise(3, int((x / arb(2).log()).upper().ceil().unique_fmpz()) + 1, constant, success)

    statement.refute(family)
    assert statement.at(SURVIVOR) is Truth.FALSE
    assert statement.at(attrs.evolve(SURVIVOR, doublings=8)) is Truth.TRUE
    values = []
    with mpmath.workdps(70):
        for degrees, doublings, c, p in product((3, 5, 20), (0, 1, 9), (Fraction(1, 4), 1, 2), (HALF, Fraction(9, 10))):
            bound = real(c) * degrees * mpmath.log(degrees)
            inside = mpmath.gammainc(mpmath.mpf(degrees) / 2, 0, bound / 2, regularized=True)
            value = mpmath.log(mpmath.log(1 / real(p)) / (2**doublings * -mpmath.log(inside)))
            values.append((SurvivingNoise(degrees, doublings, c, p), value))
        bind(statement, values)
    assert not statement.strict
    outside = {
        "degrees >= 3, an integer": attrs.evolve(SURVIVOR, degrees=2),
        "doublings >= 0, an integer": attrs.evolve(SURVIVOR, doublings=-1),
        "constant > 0": attrs.evolve(SURVIVOR, constant=0),
        "success > 0": attrs.evolve(SURVIVOR, success=0),
        "success < 1": attrs.evolve(SURVIVOR, success=1),
    }
    for inside in (SURVIVOR, SurvivingNoise(3, 0, Fraction(1, 50), Fraction(1, 50))):
        bind_hypotheses(statement, inside, outside)

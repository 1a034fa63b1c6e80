"""Steps of staircase noise, and points of balls: held against sums, edges and eigenvalues that are computed elsewhere.

Nothing is statistical but the float draws, whose error probability stands there. The controls are other widths, digits
beyond an edge, and norms that are too small.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat

from audit.released import laws
from audit.released.known_reals import Known, Script
from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.exact import precision
from dpmatrix.mechanisms import KNormMechanism, StaircaseMechanism, stairs
from dpmatrix.mechanisms.k_norm import signed_traces
from dpmatrix.mechanisms.stairs import Stairs, best_stairs, power_sum
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.lazy import LazyExponentials
from dpmatrix.randomness.lazy_balls import LazyBallPoint

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
CASES = [
    (1, Fraction(1, 8), Fraction(1, 2)),
    (1, Fraction(4), Fraction(1, 5)),
    (3, Fraction(2), Fraction(1)),
    (6, Fraction(7, 2), Fraction(1, 16)),
    (36, Fraction(1), Fraction(3, 4)),
    (36, Fraction(30), Fraction(1, 32768)),
]
every_case = pytest.mark.parametrize(("power", "epsilon", "width"), CASES)


def weights(power: int, epsilon: Fraction, width: Fraction) -> list[mpmath.mpf]:
    """Compute what the steps are drawn with, up to a factor."""
    e, g = (mpmath.mpf(value.numerator) / value.denominator for value in (epsilon, width))
    return [mpmath.exp(-e * k) * (k + g) ** power for k in range(int(700 / e) + 80)]


@every_case
def test_sums_and_mean_squares_are_those_of_their_terms(power: int, epsilon: Fraction, width: Fraction) -> None:
    with mpmath.workdps(60), precision(256):
        terms, made = weights(power, epsilon, width), Stairs(power, epsilon, width)
        expected = arb(mpmath.nstr(mpmath.fsum(terms), 50))
        found = power_sum(power, epsilon, width)
        assert abs(found / expected - 1) < arb(10) ** -45
        assert found.rad() < expected * arb(10) ** -60
        for k in (0, 1, 7):
            assert abs(made.weight(k) / arb(mpmath.nstr(terms[k], 50)) - 1) < arb(10) ** -45
        g = mpmath.mpf(width.numerator) / width.denominator
        square = mpmath.fsum(term * (k + g) ** 2 for k, term in enumerate(terms)) / mpmath.fsum(terms)
        mean = mpmath.mpf(made.mean_square.numerator) / made.mean_square.denominator
        excess = mean / (square * power / (power + 2)) - 1
        assert -(mpmath.mpf(10) ** -50) < excess < mpmath.mpf(2) ** -100
    assert laws.stair_square(power, float(epsilon), float(width)) == pytest.approx(float(made.mean_square), rel=1e-9)


def edges(power: int, epsilon: Fraction, width: Fraction) -> list[int]:
    """Compute the words in which the first steps end: the upper 64 digits of their shares."""
    with mpmath.workdps(80):
        terms = weights(power, epsilon, width)
        total = mpmath.fsum(terms)
        shares = np.cumsum(terms)[:40] / total
        return [int(mpmath.floor(share * 2**64)) for share in shares if share < 1 - mpmath.mpf(2) ** -60]


@every_case
def test_a_step_ends_at_its_share_to_the_last_digit(power: int, epsilon: Fraction, width: Fraction) -> None:
    """A word just below an edge, one just above, and the one in which it lies, whose later digits decide."""
    made, found = Stairs(power, epsilon, width), edges(power, epsilon, width)
    for k, word in enumerate(found):
        if word - (found[k - 1] if k else 0) < 4:
            continue
        assert made.draw(Script([word - 1], ones=True, calls=0)) == k
        assert made.draw(Script([word], ones=False, calls=9)) == k
        assert made.draw(Script([word], ones=True, calls=9)) == k + 1, "control"
        if k + 1 == len(found) or found[k + 1] - word > 4:
            assert made.draw(Script([word + 1], ones=False, calls=0)) == k + 1
    if found[0]:
        assert made.draw(Script([0], ones=False, calls=0)) == 0


def test_a_step_that_no_digits_decide_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(stairs, "MOST_BITS", 256)
    source = Script([2**64 - 1], ones=True, calls=9)
    with pytest.raises(UndecidedError, match="256 bits"):
        Stairs(1, Fraction(1), Fraction(1, 2)).draw(source)
    assert source.calls == 7, "64 digits, 128 and 256"


@pytest.mark.parametrize("power", [1, 3, 6, 15])
@pytest.mark.parametrize("epsilon", [Fraction(1, 8), Fraction(1), Fraction(3), Fraction(10), Fraction(30)])
def test_the_width_is_the_one_of_the_least_mean_square(power: int, epsilon: Fraction) -> None:
    found = best_stairs(power, epsilon)
    assert (found.power, found.epsilon) == (power, epsilon)
    assert 0 < found.width <= 1
    least = laws.stair_square(power, float(epsilon), laws.best_width(power, float(epsilon)))
    assert float(found.mean_square) <= least * (1 + 1e-8)
    near = (found.width + Fraction(k, 1 << 21) for k in range(-8, 9))
    assert all(Stairs(power, epsilon, width).mean_square >= found.mean_square for width in near if 0 < width <= 1)
    other = Stairs(power, epsilon, found.width / 2 if power == 1 else (found.width + Fraction(1, 2)) % 1 or Fraction(1))
    assert other.mean_square > found.mean_square, "control"


@pytest.mark.parametrize("width", [Fraction(1, 3), Fraction(1)])
def test_the_step_of_a_norm_is_counted(width: Fraction) -> None:
    made = Stairs(3, Fraction(1), width)
    for numerator in range(60):
        norm = Fraction(numerator, 13)
        expected = sum(norm > k + width for k in range(9))
        if (norm - width).denominator > 1:
            assert made.step(arb(fmpq(numerator, 13))) == expected
    assert Stairs(3, Fraction(1), Fraction(1)).step(arb(3)) == 2, "an edge belongs to the step below"
    assert made.step(arb(0)) == 0


@every_case
def test_floats_draw_steps_with_their_shares(power: int, epsilon: Fraction, width: Fraction) -> None:
    """20,000 draws: a share is off by less than six of its deviations, but with a probability below 1e-7 a case."""
    size = 20_000
    drawn = Stairs(power, epsilon, width).simulate(size, np.random.default_rng(8))
    shares = np.array([float(term) for term in weights(power, epsilon, width)])
    shares /= shares.sum()
    for k in range(int(np.argmax(shares)), int(np.argmax(shares)) + 3):
        spread = 6 * np.sqrt(shares[k] * (1 - shares[k]) / size) + 1e-3
        assert abs((drawn == k).mean() - shares[k]) < spread
    assert drawn.shape == (size,)
    assert drawn.max() > np.argmax(shares) or epsilon > 20, "control: others are drawn"


def larger(matrix: fmpq_mat) -> arb:
    """Enclose the larger trace of the parts of either sign."""
    above, below = signed_traces(matrix)
    return above.max(below)


class Square(Known):
    """A matrix of which so many digits are known."""

    def __init__(self, rows: Sequence[Sequence[object]]) -> None:
        super().__init__([Fraction(entry) for row in rows for entry in row])  # type: ignore[arg-type]  # rows of numbers
        self.shape = (len(rows), len(rows))


SHAPES = [
    [[3, 1, 0], [1, -2, Fraction(1, 3)], [0, Fraction(1, 3), 1]],
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[1, 1, 1], [1, 1, 1], [1, 1, 1]],
    [[1, 0, 0], [0, -1, 0], [0, 0, 0]],
]


@pytest.mark.parametrize("bits", [3, 9])
@pytest.mark.parametrize("rows", SHAPES)
def test_every_matrix_within_the_known_digits_has_its_point_in_the_balls(rows, bits: int) -> None:
    """At corners of the cube of what is known eigenvalues move the most."""
    share = float(np.exp(-LazyExponentials((1,), SeededEntropy(2)).approximate().center[0] / 6))
    first, second = Square(rows), Square([[0] * 3] * 3)
    point = LazyBallPoint(first, second, larger, Fraction(5, 2), SeededEntropy(2))
    first.refine(bits, [])
    second.refine(60, [])
    with precision(200):
        balls = point.enclose(range(9))
    if not all(ball.is_finite() for ball in balls):
        assert bits == 3
        return
    generator = np.random.default_rng(4)
    for _ in range(100):
        signs = np.sign(generator.standard_normal((3, 3))) * 2.0**-bits * 0.999
        moved = np.array(rows, dtype=float) + np.triu(signs) + np.triu(signs, 1).T
        values = np.linalg.eigvalsh(moved)
        length = max(values[values > 0].sum(), -values[values < 0].sum())
        for ball, value in zip(balls, (moved * 2.5 * share / length).ravel().tolist(), strict=True):
            assert (ball + arb(0, 1e-9)).contains(value)
    assert max(float(ball.rad()) for ball in balls) < 40 * 2.0**-bits, "not more than is needed"


def test_digits_are_asked_of_the_upper_half_and_a_matrix_that_may_be_zero_has_no_point() -> None:
    first, second = Square([[0, 0], [0, 0]]), Square([[0, 0], [0, 0]])
    point = LazyBallPoint(first, second, larger, Fraction(1), SeededEntropy(1))
    point.refine(128, [])
    assert first.log == []
    point.refine(128, [2])
    assert first.log == second.log == [(128, [0, 1, 3])]
    with precision(200):
        assert not any(ball.is_finite() for ball in point.enclose(range(4)))
    for radius in (Fraction(0), Fraction(-1)):
        with pytest.raises(InvalidParameterError, match=r"^radius: "):
            LazyBallPoint(first, second, larger, radius, SeededEntropy(1))
    with pytest.raises(InvalidParameterError, match=r"^second: shapes"):
        LazyBallPoint(first, Square([[0] * 3] * 3), larger, Fraction(1), SeededEntropy(1))


@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
def test_the_loss_of_a_number_is_epsilon_times_the_steps_between(adjacency: Adjacency) -> None:
    mechanism = StaircaseMechanism(Fraction(3), adjacency, divisor=2, norm_bound=Fraction(2))
    width = mechanism.stairs(1).width
    assert mechanism.noise_scale(1, 2) == 2
    data, neighbour = ([[2]], [[0]]) if adjacency is REPLACE else ([[2], [0]], [[2], [2]])
    found = set()
    for numerator in range(-90, 150):
        output = Fraction(numerator, 13)
        norms = [abs(output - sum(Fraction(row[0]) ** 2 for row in rows) / 2) / 2 for rows in (data, neighbour)]
        first, second = (sum(norm > k + width for k in range(9)) for norm in norms)
        loss = mechanism.log_density_ratio(data, neighbour, np.array([[output]], dtype=object))
        assert loss.contains(3 * (second - first))
        assert loss.rad() < 1e-10
        found.add(second - first)
    assert found == {-1, 0, 1}


@pytest.mark.parametrize(("d", "epsilon"), list(product((1, 2, 4), (Fraction(1, 8), Fraction(5), Fraction(30)))))
def test_moments_are_those_of_k_norm_noise_of_other_norms(d: int, epsilon: Fraction) -> None:
    size = d * (d + 1) // 2
    for adjacency in (REPLACE, ADD):
        steps, smooth = StaircaseMechanism(epsilon, adjacency), KNormMechanism(1, adjacency)
        norms = laws.stair_square(size, float(epsilon), float(steps.stairs(d).width)) / (size * (size + 1))
        for name in ("frobenius", "trace"):
            expected = float(getattr(smooth.moments(d), name)) * norms
            assert float(getattr(steps.moments(d), name)) == pytest.approx(expected, rel=1e-9)
    for outside in (Fraction(1, 8) - Fraction(1, 10**9), Fraction(30) + Fraction(1, 10**9)):
        with pytest.raises(InvalidParameterError, match=r"^epsilon: .* is not from 1/8 to 30"):
            StaircaseMechanism(outside)
    with pytest.raises(InvalidParameterError, match=r"^dimension: 9"):
        StaircaseMechanism(1).stairs(9)


@pytest.mark.parametrize(("places", "squares"), [([0, 4], 2), ([1, 5], 4)])
def test_the_error_of_the_norm_counts_entries_beside_the_diagonal_twice(places: list[int], squares: int) -> None:
    """With a norm of one, of a matrix of which some entries are known to a hundredth."""

    class Some(Square):
        def enclose(self, entries: Sequence[int]) -> list[arb]:
            """Enclose the entries, of which some are known to a radius."""
            found = [arb(fmpq(value.numerator, value.denominator)) for value in (self.values[k] for k in entries)]
            return [ball + arb(0, 0.01 * (k in places)) for k, ball in zip(entries, found, strict=True)]

    point = LazyBallPoint(Some(SHAPES[1]), Some([[0] * 3] * 3), lambda _: arb(1), Fraction(1), SeededEntropy(1))
    (last,) = point.enclose([8])
    error = 0.02 * (3 * squares) ** 0.5  # of both parts
    assert float(last.rad() / last.mid()) == pytest.approx(error, rel=0.1)


def test_digits_of_the_uniform_variate_are_drawn_as_well() -> None:
    first, second = Square(SHAPES[0]), Square([[0] * 3] * 3)
    first.exact = second.exact = 1
    entropy = SeededEntropy(1)
    point = LazyBallPoint(first, second, larger, Fraction(1), entropy)
    alone = SeededEntropy(1)
    alone.words(1)
    assert entropy.bits(64) == alone.bits(64), "one word is drawn"
    point.refine(400, [8])
    with precision(450):
        assert point.enclose([8])[0].rad() < arb(2) ** -380

"""Whether P + Q >= |P - Q| is answered only from bounds that hold, whatever the eigenvalue routine returns.

A proposal that is kept where the ideal matrices say no, or the other way round, gives noise of another law. Arrays of a
kind of their own decompose themselves, wrongly where they are told to; in one dimension all bounds are known, so that
it is seen where answers begin. Nothing is statistical.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat

from audit.released.known_reals import LAST_BITS, Known
from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness import dominance
from dpmatrix.randomness.decisions import FIRST_BITS
from dpmatrix.randomness.dominance import decided_in_balls, decided_in_floats, sum_dominates
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.lazy_entries import LazyRationals

UP = 1 + 2.0**-40
NEAR = 1e-13
TURN = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])

Decomposed = tuple[np.ndarray, np.ndarray]


class Decomposing(np.ndarray):
    """An array whose eigenvalues and vectors are those that a function gives; so are those of its sums."""

    answer: Callable[[np.ndarray], Decomposed]

    def __array_finalize__(self, other: Any) -> None:
        self.answer = getattr(other, "answer", np.linalg.eigh)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Decompose itself, and leave the rest to numpy."""
        if function is np.linalg.eigh:
            return self.answer(np.array(args[0]))
        return super().__array_function__(function, types, args, kwargs)


def answering(balls: FloatBalls, answer: Callable[[np.ndarray], Decomposed]) -> FloatBalls:
    center = balls.center.view(Decomposing)
    center.answer = answer
    return FloatBalls(center, balls.radius)


def split(rest: int | fmpq, above: int = 3, below: int = 2, beside: int = 5) -> tuple[fmpq_mat, fmpq_mat]:
    """Return P = N_+ + R and Q = N_- + R with N = diag(above, -below) and R = diag(rest, beside), all of it turned."""
    parts = fmpq_mat([[above + rest, 0], [0, beside]]), fmpq_mat([[rest, 0], [0, below + beside]])
    first, second = (TURN * part * TURN.transpose() for part in parts)
    return first, second


def floats_of(first: fmpq_mat, second: fmpq_mat) -> tuple[FloatBalls, FloatBalls]:
    return LazyRationals(first).approximate(), LazyRationals(second).approximate()


def in_balls(first: fmpq_mat, second: fmpq_mat) -> bool | None:
    with precision(300):
        return decided_in_balls(arb_mat(first), arb_mat(second))


# Answers


@pytest.mark.parametrize(
    ("rest", "answer"),
    [
        *((fmpq(sign, 2**power), sign > 0) for power in (0, 10, 20) for sign in (1, -1)),
        (fmpq(7), True),
        (fmpq(-4), False),
    ],
)
def test_floats_and_balls_answer_what_is_clear(rest: fmpq, answer: bool) -> None:
    """P + Q - |P - Q| = 2 R, of which one eigenvalue is twice the given one, and the other ten."""
    for parts in (split(rest), split(rest)[::-1], split(rest, 1, 8), split(rest, 2, 1, 3)):
        assert decided_in_floats(*floats_of(*parts)) is answer
        assert in_balls(*parts) is answer
        lazy = [LazyRationals(part) for part in parts]
        assert sum_dominates(*lazy) is sum_dominates(*lazy, filtered=False) is answer


@pytest.mark.parametrize("sign", [1, -1])
def test_balls_answer_what_floats_leave(sign: int) -> None:
    parts = split(fmpq(sign, 2**60))
    assert decided_in_floats(*floats_of(*parts)) is None
    assert in_balls(*parts) is (sign > 0)
    assert sum_dominates(*(LazyRationals(part) for part in parts)) is (sign > 0)


def test_nothing_is_said_where_zero_remains_or_may_remain() -> None:
    assert decided_in_floats(*floats_of(*split(0))) is None
    assert in_balls(*split(0)) is None
    for value in (0.0, 3.0):
        for parts in ((value, 0.0), (0.0, value)):
            assert decided_in_floats(*(FloatBalls.exactly([[part]]) for part in parts)) is None
            assert in_balls(*(fmpq_mat([[int(part)]]) for part in parts)) is None
    # The remainder is zero, or more or less by up to one.
    with precision(200):
        above = arb_mat([[arb(0.25, 0.25)]])
        assert decided_in_balls(above + arb_mat([[3]]), above) is None
        assert decided_in_balls(arb_mat([[3]]), -above) is None
        vague = arb_mat(2, 2, [arb(entry, 1) for entry in (4, 0, 0, 6)])
        assert decided_in_balls(vague, arb_mat([[1, 0], [0, 8]])) is None
    twins = fmpq_mat([[1, 0], [0, 1]])
    assert decided_in_floats(*floats_of(twins, twins)) is True
    assert in_balls(twins, twins) is None, "an eigenvalue that comes twice"


@pytest.mark.parametrize("center", [np.nan, np.inf, 1.0])
@pytest.mark.parametrize("radius", [np.nan, np.inf, 30.0])
def test_nothing_is_said_of_what_is_not_known(center: float, radius: float) -> None:
    known = floats_of(*split(fmpq(1)))
    for place in (0, 1):
        for lost in (
            FloatBalls(known[0].center * center, np.full((2, 2), radius)),
            FloatBalls(np.full((2, 2), center), np.array([[0.0, radius], [radius, 0.0]])),
        ):
            parts = [lost if place == index else known[index] for index in (0, 1)]
            assert decided_in_floats(*parts) is None


def test_what_overflows_is_left_open_without_a_warning() -> None:
    for first, second in ((1.7e308, -1.7e308), (1e200, 1e190), (1.7e308, 1.6e308)):
        assert decided_in_floats(*(FloatBalls.exactly([[value]]) for value in (first, second))) is None


FAULTS: dict[str, Callable[[np.ndarray, np.ndarray], Decomposed]] = {
    "other values and vectors": lambda values, vectors: (values + 5, vectors[::-1]),
    "no values": lambda values, vectors: (0 * values, vectors),
    "larger values": lambda values, vectors: (np.abs(values) + 5, vectors),
    "another order": lambda values, vectors: (values[::-1], vectors[:, ::-1]),
    "values of other vectors": lambda values, vectors: (values[::-1], vectors),
    "a vector of zeros": lambda values, vectors: (np.add(np.abs(values), [1, 0]), vectors * [0, 1]),
    "longer vectors": lambda values, vectors: (values, 2 * vectors),
    "much longer vectors": lambda values, vectors: (np.abs(values) / 2.0**20, 2.0**10 * vectors),
    "shorter vectors": lambda values, vectors: (values * 2.0**20, 2.0**-10 * vectors),
    "the same vector twice": lambda values, vectors: (np.abs(values) + 1, vectors[:, [1, 1]]),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("faulty", [(0,), (1,), (0, 1)], ids=["the difference", "what remains", "both"])
def test_no_answer_rests_on_the_eigenvalue_routine(faulty: tuple[int, ...], fault: str) -> None:
    """What it returns may be wrong: the answer is then left open, or right all the same."""
    for rest in (fmpq(1), fmpq(1, 1000), fmpq(-1, 1000), fmpq(-1)):
        for above, below in ((3, 2), (1, 8), (50, 1)):
            calls: list[np.ndarray] = []

            def answer(matrix: np.ndarray, calls: list[np.ndarray] = calls) -> Decomposed:
                calls.append(matrix)
                values, vectors = np.linalg.eigh(matrix)
                return FAULTS[fault](values, vectors) if len(calls) - 1 in faulty else (values, vectors)

            parts = [answering(part, answer) for part in floats_of(*split(rest, above, below))]
            assert decided_in_floats(*parts) in (None, rest > 0)
            assert len(calls) == 2


# Bounds


def test_norms_are_bounded_from_above_and_closely() -> None:
    """Against the exact sum of squares, of which the bound exceeds the root by five halves of 2**-40."""
    generator = np.random.default_rng(3)
    for order in (1, 2, 3, 8):
        for _ in range(20):
            center, radius = generator.standard_normal((2, order, order)) * 2.0 ** generator.integers(-9, 9)
            radius = np.abs(radius)
            both = zip(center.ravel().tolist(), radius.ravel().tolist(), strict=True)
            exact = sum((abs(Fraction(middle)) + Fraction(width)) ** 2 for middle, width in both)
            square = Fraction(dominance._norm(FloatBalls(center, radius))) ** 2
            assert abs(square / exact - Fraction(UP) ** 5) < Fraction(1, 10**14)
    for width in (np.inf, np.nan):
        assert not dominance._norm(FloatBalls(np.zeros((1, 2)), np.array([[0.0, width]]))) < np.inf


@pytest.mark.parametrize("longer", [1.0, 1.0625, 1.25])
@pytest.mark.parametrize("apart", [0.0, 0.25, 4.0])
@pytest.mark.parametrize("radius", [1.0, 3.0, 2.0**-10])
def test_answers_begin_at_the_proved_bounds(longer: float, apart: float, radius: float) -> None:
    """In one dimension, with vectors that are too long for what remains.

    P and Q differ by c, each to within r / 2, so N^2 by 2 c r + r^2, and the remainder m = 2 min(P, Q) by r. A norm is
    made good by five halves of 2**-40, an error once more, and so is each product that enters a comparison.
    """
    calls: list[np.ndarray] = []

    def stretched(matrix: np.ndarray) -> Decomposed:
        calls.append(matrix)
        values, vectors = np.linalg.eigh(matrix)
        return (values, vectors) if len(calls) % 2 else (values / longer**2, vectors * longer)

    error = radius * np.sqrt((2 * apart + 1) * UP**2.5) * UP
    skew = (longer**2 - 1) * UP**2.5
    yes = longer**2 * (error + radius * UP**2.5) * UP**2 / (1 - skew * UP)
    no = -(radius * UP + error * UP**7)

    def answer(least: float) -> bool | None:
        halves = np.full((1, 1), radius / 2)
        first, second = (
            answering(FloatBalls(np.full((1, 1), least / 2 + more), halves), stretched) for more in (apart * radius, 0)
        )
        return decided_in_floats(first, second)

    if skew < 1:
        assert answer(yes * (1 + NEAR)) is True
        assert answer(yes * (1 - NEAR)) is None
    assert answer(no * (1 - NEAR)) is None
    assert answer(no * (1 + NEAR)) is False
    assert len(calls) >= 4


# Digits


def known(matrix: fmpq_mat, *, exact: int, floats: bool = False) -> Known:
    """Return a matrix that balls know once they have so many digits."""
    values = [Fraction(int(entry.p), int(entry.q)) for entry in matrix.entries()]
    size = matrix.nrows()
    return Known(
        values, LazyRationals(matrix).approximate() if floats else FloatBalls.unknown((size, size)), exact=exact
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_digits_are_doubled_for_both_matrices_until_balls_answer(sign: int) -> None:
    """The remainder has an eigenvalue of 2**-600, which balls see once they know as much."""
    for filtered in (True, False):
        pair = [known(part, exact=1000) for part in split(fmpq(sign, 2**600))]
        assert sum_dominates(*pair, filtered=filtered) is (sign > 0)
        for one in pair:
            asked = one.log[filtered:]
            assert one.log[:filtered] == ["floats"] * filtered
            assert asked == [(FIRST_BITS * 2**place, [0, 1, 2, 3]) for place in range(4)]


@pytest.mark.parametrize("sign", [1, -1])
def test_floats_answer_first_unless_they_are_not_wanted(sign: int) -> None:
    pair = [known(part, exact=1, floats=True) for part in split(fmpq(sign))]
    assert sum_dominates(*pair) is (sign > 0)
    assert [one.log for one in pair] == [["floats"]] * 2
    assert sum_dominates(*pair, filtered=False) is (sign > 0)
    assert [one.log for one in pair] == [["floats", (FIRST_BITS, [0, 1, 2, 3])]] * 2


def test_what_no_digits_decide_is_an_error_at_the_last_number_of_them() -> None:
    pair = [known(fmpq_mat([[value]]), exact=1) for value in (3, 0)]
    with pytest.raises(UndecidedError, match=f"undecided at {LAST_BITS} bits"):
        sum_dominates(*pair)
    attempts = [FIRST_BITS * 2**place for place in range(40) if FIRST_BITS * 2**place <= LAST_BITS]
    for one in pair:
        assert one.log == ["floats", *((bits, [0]) for bits in attempts)]

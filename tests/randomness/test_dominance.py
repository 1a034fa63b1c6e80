"""Whether P + Q >= |P - Q|: floats and balls agree with exact cases and with each other."""

from __future__ import annotations

import warnings
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness import dominance
from dpmatrix.randomness.decisions import FIRST_BITS, GUARD_BITS
from dpmatrix.randomness.dominance import decided_in_balls, decided_in_floats, sum_dominates
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.lazy_entries import LazyRationals
from dpmatrix.randomness.lazy_matrices import LazyWishart
from dpmatrix.randomness.lazy_traces import CoupledTraces

TURN = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])


def split(rest: int | fmpq, above: int, below: int, beside: int = 5) -> tuple[fmpq_mat, fmpq_mat]:
    """Return P = N_+ + R and Q = N_- + R with N = diag(above, -below) and R = diag(rest, beside), all of it turned."""
    parts = fmpq_mat([[above + rest, 0], [0, beside]]), fmpq_mat([[rest, 0], [0, below + beside]])
    first, second = (TURN * part * TURN.transpose() for part in parts)
    return first, second


def both_ways(first: fmpq_mat, second: fmpq_mat) -> tuple[bool | None, bool | None]:
    floats = decided_in_floats(*(LazyRationals(part).approximate() for part in (first, second)))
    with precision(200):
        balls = decided_in_balls(arb_mat(first), arb_mat(second))
    return floats, balls


@pytest.mark.parametrize(
    ("rest", "answer"),
    [(1, True), (fmpq(1, 1000), True), (-1, False), (fmpq(-1, 1000), False), (fmpq(1, 2**20), True)],
)
def test_the_answer_is_the_sign_of_what_remains(rest: int | fmpq, answer: bool) -> None:
    """P + Q - |P - Q| = 2 R, of which one eigenvalue is 2 rest: exact matrices, so that both must find it."""
    first, second = split(rest, 3, 2)
    assert both_ways(first, second) == (answer, answer)
    assert sum_dominates(LazyRationals(first), LazyRationals(second)) is answer
    assert sum_dominates(LazyRationals(second), LazyRationals(first)) is answer, "P and Q may change places"


def test_floats_leave_what_is_close_to_the_balls() -> None:
    """A remainder of 2^-60 is beyond floats, and -2^-60 likewise; balls of 200 bits decide both."""
    for sign, answer in ((1, True), (-1, False)):
        assert both_ways(*split(fmpq(sign, 2**60), 3, 2)) == (None, answer)
    assert both_ways(*split(0, 3, 2)) == (None, None), "an atom at the boundary is never decided"


def test_an_atom_at_the_boundary_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dominance, "MOST_BITS", 512)
    first, second = (LazyRationals(part) for part in split(0, 3, 2))
    with pytest.raises(UndecidedError, match="undecided at 512 bits"):
        sum_dominates(first, second)


def test_equal_matrices_have_no_difference_to_speak_of() -> None:
    """N = 0 has a double eigenvalue, which balls cannot isolate; floats need not."""
    identity = fmpq_mat([[1, 0], [0, 1]])
    assert both_ways(identity, identity) == (True, None)


@pytest.mark.parametrize("dimension", [1, 2, 3, 5, 7])
def test_floats_never_contradict_balls(dimension: int) -> None:
    entropy, decided = SeededEntropy(dimension), 0
    for _ in range(40):
        for parts in (
            CoupledTraces(dimension, entropy).parts(),
            tuple(LazyWishart(dimension, dimension + 1, Fraction(1), entropy) for _ in range(2)),
        ):
            floats = decided_in_floats(*(part.approximate() for part in parts))
            exact = sum_dominates(*parts, filtered=False)
            assert floats in (None, exact)
            decided += floats is not None
            if dimension == 1:
                assert exact
    assert decided >= 78, "floats decide nearly always"


def test_wide_balls_decide_nothing() -> None:
    """The radius counts: what is known to within 1 does not have a sign to within 1/1000."""
    first, second = (LazyRationals(part).approximate() for part in split(fmpq(1, 1000), 3, 2))
    for radius in (1.0, np.inf, np.nan):
        wide = FloatBalls(first.center, np.full((2, 2), radius))
        assert decided_in_floats(wide, second) is None
        assert decided_in_floats(second, wide) is None
    lost = FloatBalls(np.full((2, 2), np.nan), np.zeros((2, 2)))
    assert decided_in_floats(lost, second) is None
    with precision(60):
        vague = arb_mat(2, 2, [arb(entry, 1) for entry in (4, 0, 0, 6)])
        assert decided_in_balls(vague, arb_mat([[1, 0], [0, 8]])) is None


FAULTS = {
    "other values and vectors": lambda values, vectors: (values + 5, vectors[::-1]),
    "no values": lambda values, vectors: (0 * values, vectors),
    "larger values": lambda values, vectors: (np.abs(values) + 5, vectors),
    "another order": lambda values, vectors: (values[::-1], vectors[:, ::-1]),
    "a vector of zeros": lambda values, vectors: (np.add(np.abs(values), [1, 0]), vectors * [0, 1]),
    "longer vectors": lambda values, vectors: (values, 2 * vectors),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("routine", [0, 1])
def test_nothing_is_assumed_of_the_eigenvalue_routine(
    monkeypatch: pytest.MonkeyPatch, routine: int, fault: str
) -> None:
    """A wrong answer of numpy's for N, or for the remainder, leaves the question open or answered rightly."""
    original, calls = np.linalg.eigh, []

    def wrong(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        calls.append(matrix)
        values, vectors = original(matrix)
        return FAULTS[fault](values, vectors) if (len(calls) - 1) % 2 == routine else (values, vectors)

    monkeypatch.setattr(np.linalg, "eigh", wrong)
    for rest, answer in ((1, True), (fmpq(1, 1000), True), (fmpq(-1, 1000), False), (-1, False)):
        for above, below in ((3, 2), (1, 8)):
            parts = (LazyRationals(part).approximate() for part in split(rest, above, below))
            assert decided_in_floats(*parts) in (None, answer)
    assert len(calls) == 16


def test_norms_are_bounded_from_above_and_closely() -> None:
    """Against the exact sum of squares, whose root lies on either side of a rounded one."""
    generator = np.random.default_rng(3)
    for order in (1, 2, 3, 8):
        for _ in range(40):
            center, radius = generator.standard_normal((2, order, order)) * 2.0 ** generator.integers(-9, 9)
            exact = sum(
                (abs(Fraction(c)) + Fraction(r)) ** 2
                for c, r in zip(center.ravel().tolist(), np.abs(radius).ravel().tolist(), strict=True)
            )
            bound = Fraction(dominance._norm(FloatBalls(center, np.abs(radius)))) ** 2
            assert exact <= bound <= exact * (1 + Fraction(1, 2**37))


def test_floats_are_asked_first_unless_they_are_not_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (LazyRationals(part) for part in split(1, 3, 2))
    for decree in (True, False):
        asked: list[list[float]] = []

        def floats(*balls: FloatBalls, decree: bool = decree, asked: list[list[float]] = asked) -> bool:
            asked.append([ball.center[0, 0] for ball in balls])
            return decree

        monkeypatch.setattr(dominance, "decided_in_floats", floats)
        assert sum_dominates(first, second) is decree
        assert sum_dominates(first, second, filtered=True) is decree
        assert asked == [[first.approximate().center[0, 0], second.approximate().center[0, 0]]] * 2
        assert sum_dominates(first, second, filtered=False) is True
        assert len(asked) == 2


def test_balls_are_asked_with_twice_the_digits_until_they_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time as many are drawn of every entry, and the arithmetic has some more."""
    told: list[tuple[object, ...]] = []
    answers = iter([None, None, False])

    def reals(name: str) -> SimpleNamespace:
        def refine(bits: int, entries: range) -> None:
            told.append((name, bits, [*entries]))

        def enclose(entries: range) -> list[arb]:
            return [arb(entry) for entry in entries]

        return SimpleNamespace(shape=(2, 2), refine=refine, enclose=enclose)

    def balls(first: arb_mat, second: arb_mat) -> bool | None:
        told.append((ctx.prec, first.tolist() == second.tolist() == arb_mat([[0, 1], [2, 3]]).tolist()))
        return next(answers)

    monkeypatch.setattr(dominance, "decided_in_balls", balls)
    assert sum_dominates(reals("P"), reals("Q"), filtered=False) is False
    expected: list[tuple[object, ...]] = []
    for bits in (FIRST_BITS, 2 * FIRST_BITS, 4 * FIRST_BITS):
        expected += [("P", bits, [0, 1, 2, 3]), ("Q", bits, [0, 1, 2, 3]), (bits + GUARD_BITS, True)]
    assert told == expected


def test_nothing_is_said_of_zero() -> None:
    """P + Q = |P - Q| where one of them is zero, or both: then the remainder is zero exactly."""
    for value in (0.0, 3.0):
        first, second = (FloatBalls.exactly(np.array([[one]])) for one in (value, 0.0))
        assert decided_in_floats(first, second) is None
    assert decided_in_balls(arb_mat([[3]]), arb_mat([[0]])) is None


def test_an_overflow_leaves_the_question_open_without_a_word() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for first, second in ((1.7e308, -1.7e308), (1e200, 1e190), (1.7e308, 1.6e308)):
            balls = (FloatBalls.exactly(np.array([[value]])) for value in (first, second))
            assert decided_in_floats(*balls) is None


@pytest.mark.parametrize("up", [1.25, 1.375])
def test_each_bound_on_a_norm_is_made_good_three_times(monkeypatch: pytest.MonkeyPatch, up: float) -> None:
    """Before squares are added, before the root, and after it: seen once the factor is large."""
    monkeypatch.setattr(dominance, "_UP", up)
    balls = FloatBalls(np.array([[3.0, -2.0], [1.0, 0.0]]), np.array([[1.0, 0.5], [0.0, 2.0]]))
    assert dominance._norm(balls) == pytest.approx(np.sqrt(16 + 6.25 + 1 + 4) * up**2.5, rel=1e-14)


@pytest.mark.parametrize("up", [1.0625, 1.25])
@pytest.mark.parametrize("longer", [1.0, 1.0625])
@pytest.mark.parametrize("apart", [0.0, 0.25, 64.0])
@pytest.mark.parametrize("radius", [1.0, 2.0**-10])
def test_answers_are_given_from_the_proved_bounds_on(
    monkeypatch: pytest.MonkeyPatch, up: float, longer: float, apart: float, radius: float
) -> None:
    """For d = 1, where all is known, with a large factor for roundings, and vectors that are too long in square.

    P and Q differ by c, each to within r / 2, so N^2 by 2 c r + r^2, and the remainder m = 2 min(P, Q) by r.
    """
    monkeypatch.setattr(dominance, "_UP", up)
    original, calls = np.linalg.eigh, []

    def stretched(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        calls.append(matrix)
        values, vectors = original(matrix)
        return (values, vectors) if len(calls) % 2 else (values / longer**2, vectors * longer)

    monkeypatch.setattr(np.linalg, "eigh", stretched)
    error = np.sqrt((2 * apart * radius + radius**2) * up**2.5) * up
    skew = (longer**2 - 1) * up**2.5
    yes = longer**2 * (error + radius * up**2.5) * up**2 / (1 - skew * up)
    no = -(radius * up + error * up**7)

    def answer(least: float) -> bool | None:
        halves = np.full((1, 1), radius / 2)
        first, second = (FloatBalls(np.full((1, 1), least / 2 + more), halves) for more in (apart, 0.0))
        return decided_in_floats(first, second)

    near = 1e-9
    assert answer(yes * (1 + near)) is True
    assert answer(yes * (1 - near)) is None
    assert answer(no * (1 - near)) is None
    assert answer(no * (1 + near)) is False

"""Lemma 4 and Theorem 3 of `sliding-window`: sketches that nothing can delete, and the determinant that counts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.approximate_update import DropPoint
from dpmatrix.spec.sliding_window.repeated_rows import RepeatedRows
from dpmatrix.spec.sliding_window.sketch_privacy import LEMMA_3, SketchParameters
from dpmatrix.spec.sliding_window.sketch_space import LogarithmPoint, SpaceRun, sketches
from dpmatrix.spec.sliding_window.sketched_stream import SketchedStream
from dpmatrix.spec.sliding_window.update_lemmas import StreamRun, structure, suffixes
from dpmatrix.tracing import bind_expression
from proofs_checks.sliding_window.histogram_by_hand import checkpoints
from proofs_checks.sliding_window.one_row_outputs import (
    BLIND,
    ONE_ROW_OUTSIDE,
    by_hand,
    lemma_2_ends,
    small_outputs,
    whole_above,
)
from proofs_checks.sliding_window.released_streams import check_noise_is_needed, check_released

lemma_4 = cite("sliding-window.lemma-4@77452a81")
theorem_3 = cite("sliding-window.theorem-3@2f1295b8")

FIFTH, HALF, MILLIONTH = Fraction(1, 5), Fraction(1, 2), Fraction(1, 10**6)


def blind_run(total: int, width: int = 21) -> SpaceRun:
    """Build a run with r = 1, eta = 1/5, d = 21: rows e_1, Phi = (0, I), no consecutive g's of sum zero."""
    base = fmpq_mat([[int(j == i + 1) for j in range(width)] for i in range(20)])
    rows = fmpq_mat([[int(j == 0) for j in range(width)] for _ in range(total)])
    coins = fmpq_mat([[(7 * t + 3 * i) % 11 + (i == 0) for i in range(20)] for t in range(total)])
    return SpaceRun(SketchedStream(rows, base, coins, 1, total), 1, FIFTH)


SMALL = blind_run(3)
SPACE = {
    "rank >= 1, an integer": attrs.evolve(SMALL, rank=0),
    "eta > 0": attrs.evolve(SMALL, eta=0),
    "eta < 1/4": attrs.evolve(SMALL, eta=Fraction(1, 4)),
    "4r/eta rows of Phi, T = W, rows of rank at most r": attrs.evolve(SMALL, eta=Fraction(1, 6)),
}


REPEATED = RepeatedRows(24, 21, 1, FIFTH, 1)
REPEATED_OUTSIDE = {
    "window >= 2, an integer": attrs.evolve(REPEATED, window=1),
    "dimension >= 1, an integer": attrs.evolve(REPEATED, dimension=0),
    "rank >= 1, an integer": attrs.evolve(REPEATED, rank=0),
    "eta > 0": attrs.evolve(REPEATED, eta=0),
    "eta < 1/4": attrs.evolve(REPEATED, eta=Fraction(1, 4)),
    "4r/eta is an integer": attrs.evolve(REPEATED, eta=Fraction(3, 20)),
    "constant > 0": attrs.evolve(REPEATED, constant=0),
}


def comparable(older: fmpq_mat, newer: fmpq_mat) -> bool:
    """Whether some multiple of older'older is at most newer'newer: the rows of one span those of the other."""
    stacked = fmpq_mat([*newer.tolist(), *older.tolist()])
    return bool(stacked.rank() == newer.rank())


def undeletable(p: SpaceRun) -> int:
    """Count the checkpoints that no comparison of an older with a newer sketch can delete."""
    held = sketches(p)
    pairs = [(i, j) for j in range(len(held)) for i in range(j - 1) if comparable(held[i], held[j])]
    return sum(not any(i < middle < j for i, j in pairs) for middle in range(len(held)))


@lemma_4.refutes(grade="derived", region="r = 1, eta = 1/5, d = 21: every c by growing W; W <= 24 exactly")
@theorem_3.refutes("item-3", grade="derived", region="r = 1, eta = 1/5, d = 21: every c by growing W")
def test_all_checkpoints_stay(statements) -> None:
    """A~_i - A~_p = (sum of g_s over i <= s < p)'e_1, at every later time.

    Let the last d - 1 >= m columns of sigma Phi have rank m, which has probability one. If C A~_p = A~_i then C is the
    identity on these columns, so the first columns agree and the sum of g's is zero, an event of probability zero. So W
    checkpoints stay for every W, and W exceeds 5 c log W once W = 10^4 c^2, c >= 1: sqrt W >= 100 > 10 log(sqrt W) for
    c = 1, sqrt W = 100 c > 10 log(100 c) for larger c.
    """
    for total in (2, 3, 5, 24):
        assert undeletable(blind_run(total)) == total
    same = attrs.evolve(SMALL, run=attrs.evolve(SMALL.run, coins=fmpq_mat(3, 20, [0] * 60)))
    assert undeletable(same) == 2, "equal sketches: only the first and the last stay"

    assert 10 * arb(100).log() < 100, "and x - 10 log x rises from x = 10 on"

    def family(constant):
        return attrs.evolve(REPEATED, constant=constant, window=10**4 * whole_above(constant) ** 2)

    for statement in statements.values():
        statement.refute(family)
        assert statement.conclusion(attrs.evolve(REPEATED, constant=2)) is Truth.TRUE, "24 < 2 5 log 24"
        assert statement.conclusion(attrs.evolve(REPEATED, dimension=20)) is Truth.UNDECIDED, "as many rows as columns"
        bind(
            statement,
            [
                (
                    attrs.evolve(REPEATED, window=w, constant=c, rank=r, dimension=99),
                    (c * r * 5 * sympy.log(w) - w).evalf(50),
                )
                for w, c, r in product((2, 3, 24, 10**6), (1, 2, Fraction(1, 7)), (1, 3))
            ],
        )
        least = 5 * arb(24).log() - statement.margin(attrs.evolve(REPEATED, dimension=20)).upper()
        assert abs(least - 1) < arb(10) ** -6, "the newest checkpoint stays whatever is deleted"
        assert not statement.strict
        for inside in (REPEATED, attrs.evolve(REPEATED, dimension=1), attrs.evolve(REPEATED, window=2)):
            bind_hypotheses(statement, inside, REPEATED_OUTSIDE)


@lemma_4.refutes("singular-values", grade="symbolic", region="r = 1, eta = 1/5, d = 21")
def test_a_sketch_has_more_singular_values(statement) -> None:
    assert statement.at(SMALL) is Truth.FALSE
    assert statement.margin(SMALL) == -19
    assert not statement.strict
    for inside in (SMALL, blind_run(2)):
        bind_hypotheses(statement, inside, SPACE)
    assert statement.applies(blind_run(1)) is Truth.FALSE
    (fits,) = (condition for condition in statement.given if condition.says.startswith("4r/eta rows"))
    assert fits.at(attrs.evolve(SMALL, eta=0)) is Truth.FALSE, "no number of rows is 4r/0"
    last = SketchedStream(fmpq_mat([[1], [0]]), fmpq_mat(20, 1), fmpq_mat(2, 20, [1] * 40), 1, 2)
    assert statement.margin(SpaceRun(last, 1, FIFTH)) == 0, "the oldest sketch holds the row, the newest none"


@lemma_4.refutes("one-singular-value", grade="interval", region="one pair of 2 x 2 matrices, eta = 1/4")
def test_no_single_eigenvalue_drops(statement) -> None:
    """S = diag(100, 1), S' = S - vv' with v = (sqrt 7.5, sqrt 0.075): eigenvalues 0.925 and 0.919 times as large."""
    large = fmpq_mat([[100, 0], [0, 1]])
    first, last = (rational(Fraction(square)) for square in ("7.5", "0.075"))
    assert first * last == fmpq(3, 4) ** 2
    small = large - fmpq_mat([[first, fmpq(3, 4)], [fmpq(3, 4), last]])
    middle = (small[0, 0] + small[1, 1]) / 2
    root = arb(middle**2 - small.det()).sqrt()
    assert abs((middle + root) / 100 - arb("0.925")) < arb("0.0005")
    assert abs(middle - root - arb("0.919")) < arb("0.0005")
    assert statement.at(DropPoint(large, small, Fraction(1, 4))) is Truth.FALSE
    assert statement.strict
    scaled = DropPoint(large, fmpq(1, 2) * large, Fraction(1, 4))
    assert statement.at(scaled) is Truth.TRUE
    assert statement.margin(scaled).contains((fmpq(7, 8) - fmpq(1, 2)) * 100)
    bind_hypotheses(
        statement,
        scaled,
        {
            "eta > 0": attrs.evolve(scaled, eta=0),
            "eta < 1": attrs.evolve(scaled, eta=1),
            "S' <= S, not (1-eta/2)S <= S'": attrs.evolve(scaled, small=large),
        },
    )
    assert statement.applies(attrs.evolve(scaled, small=2 * large)) is Truth.FALSE


@lemma_4.supports("equation-15", grade="derived", region="every W >= 2, eta, c")
@lemma_4.refutes("count", grade="derived", region="every W >= 2, eta, c")
def test_equation_15_has_a_negative_left_side(statements) -> None:
    """log(1 - eta/2) < 0 < log W, so the left side is negative and the right side positive."""
    bound, count = statements["sliding-window.lemma-4/equation-15"], statements["sliding-window.lemma-4/count"]
    points = [
        LogarithmPoint(w, Fraction(k, 6), c) for w, k, c in product((2, 9, 1000), (1, 3, 5), (1, Fraction(5, 2), 8))
    ]

    w, eta, c = sympy.symbols("window eta constant")
    left = c * sympy.log(w) / sympy.log(1 - eta / 2)
    bind_expression(count, left)
    bind_expression(bound, 2 * c / eta * sympy.log(w) - left)
    assert all(bound.at(p) is Truth.TRUE and count.at(p) is Truth.FALSE for p in points)
    inside = LogarithmPoint(2, Fraction(1, 2), 1)
    for statement in statements.values():
        assert not statement.strict
        bind_hypotheses(
            statement,
            inside,
            {
                "window >= 2, an integer": attrs.evolve(inside, window=1),
                "eta > 0": attrs.evolve(inside, eta=0),
                "eta < 1": attrs.evolve(inside, eta=1),
                "constant > 0": attrs.evolve(inside, constant=0),
            },
        )


ZEROS = StreamRun(fmpq_mat(6, 1, [0] * 6), 6, Fraction(1, 2), 1)
COMPARES = "Algorithm 1 compares K + sigma^2 I"


def kept_by_hand(entries, window, eta, floor):
    """Energies of the checkpoints that the lines keep with factor 1 - eta/2, in one dimension."""
    return [total for _, total in checkpoints(entries, window, 1 - eta / 2, floor)]


@lemma_4.supports(
    "exact-matrices",
    grade="derived",
    region="every stream, d, W, eta, sigma: Lemma 10 as repaired with eta/2, and a scalar inequality",
)
def test_the_determinant_counts_checkpoints(statement) -> None:
    """Algorithm 1 on exact matrices is Algorithm 6 with eta/2 for eta: same lines, factor 1 - eta/2.

    So Lemma 10 as repaired gives l <= 3 + 2 log(det K^(1)/det K^(l))/log(1/(1-c)) for c = eta/2, and log(1/(1-c)) >= c
    makes it 3 + (4/eta) log(ratio), as the ratio is at least 1. Rank r: det(K + s I)/s^d = prod (1 + k_i/s) <= (1 + tr
    K/(r s))^r by the inequality of the means, tr K <= n B^2, and det K^(l) >= s^d.
    """
    c = sympy.symbols("c", positive=True)
    gap = -sympy.log(1 - c) - c
    assert gap.subs(c, 0) == 0
    assert sympy.simplify(sympy.diff(gap, c) - c / (1 - c)) == 0, "log(1/(1-c)) - c rises from 0"
    values = []
    for entries, (window, eta, floor) in product(
        product((0, 1, 3), repeat=4), ((2, Fraction(1, 2), Fraction(1)), (6, Fraction(4, 5), Fraction(1, 3)))
    ):
        stream = (*entries, 1, 0)
        p = StreamRun(fmpq_mat([[entry] for entry in stream]), window, eta, floor)
        assert statement.at(p) is Truth.TRUE
        kept = kept_by_hand(stream, window, eta, floor)
        ratio = sympy.Rational(kept[0]) / sympy.Rational(kept[-1])
        values.append((p, (3 + 4 / sympy.Rational(eta) * sympy.log(ratio) - len(kept)).evalf(50)))
    bind(statement, values)
    for place, choice in enumerate(product(((1, 0), (0, 1), (2, 1)), repeat=4)):
        rows = fmpq_mat([list(row) for row in (*choice, (0, 0), (1, 1))])
        assert statement.at(StreamRun(rows, 2 + place % 5, Fraction(1 + place % 4, 5), 1)) is Truth.TRUE
    assert statement.margin(ZEROS) == 0, "stamps 1, 5 and 6: the constant 3 is attained"
    assert statement.at(ZEROS) is Truth.TRUE
    assert not statement.strict
    outside = {
        "window >= 1, an integer": attrs.evolve(ZEROS, window=0),
        "eta > 0": attrs.evolve(ZEROS, eta=0),
        "eta < 1": attrs.evolve(ZEROS, eta=1),
        "floor > 0": attrs.evolve(ZEROS, floor=0),
        COMPARES: attrs.evolve(ZEROS, approximations=(fmpq_mat([[1]]),) * 21),
    }
    for inside in (ZEROS, attrs.evolve(ZEROS, window=1, eta=Fraction(1, 50), floor=Fraction(1, 100))):
        bind_hypotheses(statement, inside, outside)


FOUR = "(4) with eta/8 at every time, for every stamp"


def noisy(rows, window, eta, floor, errors) -> StreamRun:
    """Let Algorithm 1 see each matrix off by a factor, the factors repeated as often as needed."""
    stream = StreamRun(fmpq_mat([list(row) for row in rows]), window, eta, floor)
    places = [(time, stamp) for time in range(1, len(rows) + 1) for stamp in range(1, time + 1)]
    near = tuple(
        rational(errors[k % len(errors)]) * suffixes(stream, time, [stamp])[0] for k, (time, stamp) in enumerate(places)
    )
    return attrs.evolve(stream, approximations=near)


SHAPES = "no S~, or a symmetric one for every time and stamp"


def skew_sketches() -> StreamRun:
    """Four zero rows, W = 4: at time 4 the sums of stamps 1 and 3 are seen as I + N and I - N', N nilpotent."""
    p = noisy([(0, 0)] * 4, 4, HALF, 1, (1,))
    seen = list(p.approximations)
    seen[6] += fmpq_mat([[0, 5], [0, 0]])
    seen[8] -= fmpq_mat([[0, 0], [5, 0]])
    return attrs.evolve(p, approximations=tuple(seen))


@lemma_4.supports_repair(
    grade="derived", region="every stream, d, W, eta, sigma and error up to eta/8: the docstring; 90 streams decided"
)
def test_the_determinant_counts_noisy_checkpoints(statement) -> None:
    """By Lemma 1 as repaired (1 - eta/2) S~_i does not precede S~_{i+2} for i <= l - 3.

    With r = eta/4, (1 - r)(1 - eta/8) >= (1 - eta/2)(1 + eta/8). If (1 - r) S_i <= S_{i+2} held, (4) with eta/8
    would give S~_{i+2} >= (1 - eta/8)(1 - r) S_i >= (1 - eta/2) S~_i: so it does not. As S_{i+2} <= S_i, the
    eigenvalues of S_i^(-1/2) S_{i+2} S_i^(-1/2) are at most 1 and one is below 1 - r: det S_{i+2} < (1 - r) det S_i.
    The indices 1, 3, 5, ... up to l - 3 are at least (l - 3)/2 in number: det S_l <= (1 - r)^((l-3)/2) det S_1, that is
    l <= 3 + 2 log(det S_1/det S_l)/-log(1 - r), and -log(1 - r) >= r = eta/4.
    """
    e = sympy.symbols("eta", positive=True)
    assert sympy.expand((1 - e / 4) * (1 - e / 8) - (1 - e / 2) * (1 + e / 8) - 3 * e**2 / 32) == 0
    values = []
    patterns = ((Fraction(15, 16), Fraction(17, 16)), (Fraction(17, 16), 1, Fraction(15, 16)), (1,))
    for entries, errors in product(product((0, 1, 3), repeat=3), patterns):
        rows = [(entry,) for entry in (*entries, 1, 0)]
        p = noisy(rows, 4, HALF, Fraction(1, 3), errors)
        assert statement.at(p) is Truth.TRUE
        kept = structure(p, Fraction(1, 4)).stamps
        energy = [sum(entry**2 for (entry,) in rows[stamp - 1 :]) + Fraction(1, 3) for stamp in kept]
        ratio = sympy.Rational(energy[0]) / sympy.Rational(energy[-1])
        values.append((p, (3 + 16 * sympy.log(ratio) - len(kept)).evalf(50)))
    close = noisy([(1,), (1,), (0,), (0,)], 4, HALF, Fraction(19, 3), (1,))
    values.append((close, 16 * sympy.log(sympy.Rational(25, 19)).evalf(50)))  # 3/4 < 19/25: stamp 2 goes, three stay
    bind(statement, values)
    for place, choice in enumerate(product(((1, 0), (0, 1), (2, 1)), repeat=2)):
        p = noisy((*choice, (0, 0), (1, 1)), 2 + place % 3, HALF, 1, (Fraction(16, 17), Fraction(18, 17), 1))
        assert statement.at(p) is Truth.TRUE
    still = noisy([(0,)] * 6, 6, HALF, 1, (1,))
    assert statement.margin(still) == 0, "stamps 1, 5 and 6: the constant 3 is attained"
    assert not statement.strict
    outside = {
        "window >= 1, an integer": attrs.evolve(still, window=0),
        "eta > 0": attrs.evolve(still, eta=0),
        "eta < 1": attrs.evolve(still, eta=1),
        "floor > 0": attrs.evolve(still, floor=0),
        SHAPES: skew_sketches(),
        FOUR: noisy([(0,)] * 6, 6, HALF, 1, (1, Fraction(9, 10), Fraction(5, 6))),
    }
    assert statement.without(SHAPES).at(skew_sketches()) is Truth.FALSE, "four checkpoints of equal determinants"
    (shapes,) = (condition for condition in statement.given if condition.says == SHAPES)
    assert shapes.at(attrs.evolve(still, approximations=still.approximations[1:])) is Truth.FALSE
    for inside in (still, attrs.evolve(still, window=1)):
        bind_hypotheses(statement, inside, outside)
    for error in (Fraction(14, 15), Fraction(16, 15)):
        assert statement.applies(noisy([(0,)] * 6, 6, HALF, 1, (1, error))) is Truth.FALSE, "1/15 is above 1/16"


@lemma_4.controls("+repair", grade="interval", region="2 for 3; no determinant; errors beyond eta/8")
def test_a_smaller_count_is_noticed(statement) -> None:
    still = noisy([(0,)] * 6, 6, HALF, 1, (1,))
    assert statement.at(still) is Truth.TRUE
    assert statement.nudged(lambda margin: margin - 1).at(still) is Truth.FALSE, "2 + (8/eta) log(...)"
    steep = StreamRun(fmpq_mat([[9], [5], [3], [1], [1]]), 5, HALF, 1)
    assert statement.at(steep) is Truth.TRUE
    assert len(structure(steep, Fraction(1, 4)).stamps) == 5
    assert statement.nudged(margin=lambda p: arb(3 - len(structure(p, p.eta / 2).stamps))).at(steep) is Truth.FALSE
    # sketches that fall by a third from stamp to stamp: nothing is deleted, although all matrices are equal
    falling = tuple(fmpq_mat([[fmpq(2, 3) ** stamp]]) for time in range(1, 7) for stamp in range(1, time + 1))
    far = attrs.evolve(still, approximations=falling)
    assert statement.applies(far) is Truth.FALSE
    assert statement.without(FOUR).at(far) is Truth.FALSE


@theorem_3.refutes(grade="interval", region="r = 1, eta = 1/1000, 1/100, eps = 1, delta = 10^-6, M = 10^4")
def test_theorem_3_is_not_private(statement) -> None:
    """The statement is that of lemma-3, whose margin is bound there to another formula."""
    broken = SketchParameters(1, Fraction(1, 1000), 1, MILLIONTH, 10**4)
    assert statement.law == LEMMA_3.statement.law
    assert statement.given == LEMMA_3.statement.given
    assert statement.at(broken) is Truth.FALSE
    assert -statement.margin(broken) > 0.067
    assert statement.at(attrs.evolve(broken, eta=Fraction(1, 100))) is Truth.FALSE


@theorem_3.refutes("item-2", grade="derived", region="r = 1, eta = 1/4, d = 17: every c, with probability one")
def test_item_2_has_the_blind_direction_of_lemma_2(statement) -> None:
    """Here m rows in d > m dimensions leave a direction u with A~u = 0, where the lower bound is positive."""
    statement.refute(lambda constant: attrs.evolve(BLIND, constant=constant))
    with mpmath.workdps(60):
        bind(statement, ((p, by_hand(p, *lemma_2_ends(p, 2)) - mpmath.mpf(9) / 10) for p in small_outputs()))
    assert not statement.strict
    bind_hypotheses(statement, BLIND, ONE_ROW_OUTSIDE)


@theorem_3.supports_repair(grade="derived", region="every stream, row, h, epsilon, delta: as for lemma-3")
@theorem_3.controls("+repair", grade="interval", region="half the noise; a row of norm 2")
def test_what_remains_of_theorem_3(statement) -> None:
    """The derivation is that of lemma-3's repair: `check_released`."""
    check_released(statement)
    check_noise_is_needed(statement)

"""Lemma 4 and Theorem 3 of `sliding-window`: sketches that nothing can delete, and the determinant that counts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.approximate_update import DropPoint
from dpmatrix.spec.sliding_window.dyadic_release import DyadicRelease
from dpmatrix.spec.sliding_window.sketch_bounds import OneRowSketch
from dpmatrix.spec.sliding_window.sketch_privacy import SketchParameters
from dpmatrix.spec.sliding_window.sketch_space import LogarithmPoint, SpaceRun, undeletable
from dpmatrix.spec.sliding_window.sketched_stream import SketchedStream
from dpmatrix.spec.sliding_window.update_lemmas import StreamRun, structure
from proofs_checks.sliding_window.dyadic_noise import RELEASE, half_the_noise
from proofs_checks.sliding_window.histogram_by_hand import checkpoints

lemma_4 = cite("sliding-window.lemma-4@6bfae8b0")
theorem_3 = cite("sliding-window.theorem-3@5bea1650")

FIFTH, MILLIONTH = Fraction(1, 5), Fraction(1, 10**6)


def blind_run(total: int, constant: int = 1, width: int = 21) -> SpaceRun:
    """Build a run with r = 1, eta = 1/5, d = 21: rows e_1, Phi = (0, I), no consecutive g's of sum zero."""
    base = fmpq_mat([[int(j == i + 1) for j in range(width)] for i in range(20)])
    rows = fmpq_mat([[int(j == 0) for j in range(width)] for _ in range(total)])
    coins = fmpq_mat([[(7 * t + 3 * i) % 11 + (i == 0) for i in range(20)] for t in range(total)])
    return SpaceRun(SketchedStream(rows, base, coins, 1, total), 1, FIFTH, constant)


SMALL = blind_run(3)
SPACE = {
    "rank >= 1, an integer": attrs.evolve(SMALL, rank=0),
    "eta > 0": attrs.evolve(SMALL, eta=0),
    "eta < 1/4": attrs.evolve(SMALL, eta=Fraction(1, 4)),
    "constant > 0": attrs.evolve(SMALL, constant=0),
    "4r/eta rows of Phi, T = W, rows of rank at most r": attrs.evolve(SMALL, eta=Fraction(1, 6)),
}


@lemma_4.refutes(grade="derived", region="r = 1, eta = 1/5, d = 21, W = 24: every c by growing W")
@theorem_3.refutes("item-3", grade="derived", region="r = 1, eta = 1/5, d = 21, W = 24, c = 1; every c by growing W")
@lemma_4.refutes("singular-values", grade="symbolic", region="r = 1, eta = 1/5, d = 21")
def test_no_sketch_can_be_deleted(statements) -> None:
    """A~_i - A~_p = (sum of g_s over i <= s < p)'e_1, at every later time.

    Let the last 20 columns of sigma Phi be invertible. If C A~_p = A~_i then C is the identity on these columns, so
    the first columns agree and the sum of g's is zero, an event of probability zero. So W checkpoints stay for every W.
    """
    long = blind_run(24)
    assert undeletable(long) == 24
    for name in ("lemma-4", "theorem-3/item-3"):
        statement = statements[f"sliding-window.{name}"]
        assert statement.at(long) is Truth.FALSE
        assert statement.margin(SMALL) - 5 * sympy.log(3).evalf(30).__float__() + 3 < 1e-9
        bind(
            statement,
            [
                (blind_run(total, constant), (constant * 5 * sympy.log(total) - total).evalf(50))
                for total, constant in product((2, 3, 4, 5, 6), (1, 2, 3, 7))
            ],
        )
    number = statements["sliding-window.lemma-4/singular-values"]
    assert number.at(SMALL) is Truth.FALSE
    assert number.margin(SMALL) == -19
    same = attrs.evolve(SMALL, run=attrs.evolve(SMALL.run, coins=fmpq_mat(3, 20, [0] * 60)))
    assert undeletable(same) == 2, "equal sketches: only the first and the last stay"
    for statement in statements.values():
        assert not statement.strict
        bind_hypotheses(statement, SMALL, SPACE)
        wide = attrs.evolve(SMALL.run, rows=fmpq_mat([[int(i == j) for j in range(21)] for i in range(3)]))
        for wrong in (wide, attrs.evolve(SMALL.run, window=4), attrs.evolve(SMALL.run, coins=fmpq_mat(3, 2, [1] * 6))):
            assert statement.applies(attrs.evolve(SMALL, run=wrong)) is Truth.FALSE
        assert statement.applies(blind_run(2)) is Truth.TRUE
        assert statement.applies(blind_run(1)) is Truth.FALSE


@lemma_4.refutes("one-singular-value", grade="symbolic", region="2 x 2, eta = 1/4")
def test_no_single_eigenvalue_drops(statement) -> None:
    """S = diag(100, 1), S' = S - vv' with v = (sqrt 7.5, sqrt 0.075): eigenvalues 0.925 and 0.919 times as large."""
    large = fmpq_mat([[100, 0], [0, 1]])
    small = large - fmpq_mat([[fmpq(15, 2), fmpq(3, 4)], [fmpq(3, 4), fmpq(3, 40)]])
    assert statement.at(DropPoint(large, small, Fraction(1, 4))) is Truth.FALSE
    assert statement.strict
    scaled = DropPoint(large, fmpq(1, 2) * large, Fraction(1, 4))
    assert statement.at(scaled) is Truth.TRUE
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

    def left(p: LogarithmPoint):
        return sympy.Rational(p.constant) * sympy.log(p.window) / sympy.log(1 - sympy.Rational(p.eta) / 2)

    bind(count, ((p, left(p).evalf(50)) for p in points))
    right = [(p, 2 * sympy.Rational(p.constant) / sympy.Rational(p.eta) * sympy.log(p.window)) for p in points]
    bind(bound, ((p, (value - left(p)).evalf(50)) for p, value in right))
    assert all(bound.at(p) is Truth.TRUE and count.at(p) is Truth.FALSE for p in points)
    assert bound.nudged(lambda margin: -margin).at(points[0]) is Truth.FALSE
    inside = LogarithmPoint(2, Fraction(1, 2))
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


@lemma_4.supports_repair(
    grade="derived", region="every stream, d, W, eta, sigma: Lemma 10 as repaired with eta/2, and a scalar inequality"
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


@lemma_4.controls(
    "+repair", grade="symbolic", region="2 in place of 3; no determinant; sketches in place of exact matrices"
)
def test_a_smaller_count_is_noticed(statement) -> None:
    assert statement.at(ZEROS) is Truth.TRUE
    assert statement.nudged(lambda margin: margin - 1).at(ZEROS) is Truth.FALSE
    steep = StreamRun(fmpq_mat([[9], [5], [3], [1], [1]]), 5, Fraction(1, 2), 1)
    assert statement.at(steep) is Truth.TRUE
    count = len(structure(steep, Fraction(1, 4)).stamps)
    assert count == 5
    assert statement.nudged(margin=lambda p: arb(3 - len(structure(p, p.eta / 2).stamps))).at(steep) is Truth.FALSE
    # sketches that fall by a third from stamp to stamp: nothing is deleted, although all matrices are equal
    falling = tuple(fmpq_mat([[fmpq(2, 3) ** stamp]]) for time in range(1, 7) for stamp in range(1, time + 1))
    assert statement.without(COMPARES).at(attrs.evolve(ZEROS, approximations=falling)) is Truth.FALSE


@theorem_3.refutes(grade="interval", region="r = 1, eta = 1/1000, eps = 1, delta = 10^-6, M = 77")
@theorem_3.refutes(
    "item-2", grade="derived", region="r = 1, eta = 1/4, d = 17, c = 1; every variate and c as for lemma-2"
)
@theorem_3.supports_repair(grade="derived", region="as lemma-3+repair")
@theorem_3.controls("+repair", grade="interval", region="half the noise")
def test_theorem_3_collects_the_lemmas(statements) -> None:
    """Its statements are those of lemma-3 and lemma-2, margin for margin; their proofs are checked there."""
    from dpmatrix.spec.sliding_window.sketch_accuracy import LEMMA_2
    from dpmatrix.spec.sliding_window.sketch_privacy import LEMMA_3

    private = statements["sliding-window.theorem-3"]
    accurate = statements["sliding-window.theorem-3/item-2"]
    repaired = statements["sliding-window.theorem-3+repair"]
    for mine, theirs in (
        (private, LEMMA_3.statement),
        (accurate, LEMMA_2.statement),
        (repaired, LEMMA_3.repair.statement),
    ):
        assert mine.formula is theirs.formula
        assert mine.given == theirs.given
        assert mine.strict is theirs.strict is False
    assert private.at(SketchParameters(1, Fraction(1, 1000), 1, MILLIONTH, 77)) is Truth.FALSE
    base = fmpq_mat([[*(int(i == j) for j in range(16)), i] for i in range(16)])
    direction = fmpq_mat([[-i] for i in range(16)] + [[1]])
    zero, coin = fmpq_mat(1, 17, [0] * 17), fmpq_mat(1, 16, [1] * 16)
    blind = OneRowSketch(base, coin, zero, direction, 1, Fraction(1, 4), 1, MILLIONTH, 1)
    assert accurate.at(blind) is Truth.FALSE
    for height, epsilon, delta in product((0, 3), (Fraction(1, 2), 4), (Fraction(1, 9), MILLIONTH)):
        assert repaired.at(DyadicRelease(2, height, epsilon, delta)) is Truth.TRUE

    assert repaired.nudged(margin=half_the_noise).at(RELEASE) is Truth.FALSE

"""Lemma 1 of `sliding-window`: what the histogram keeps along a stream, as stated, as repaired and step by step."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.approximate_update import ChainPoint, DropPoint
from dpmatrix.spec.sliding_window.update_lemmas import (
    Checkpoints,
    StreamRun,
    every_approximation_margin,
    structure,
    suffixes,
)
from proofs_checks.exact_matrices import diagonal
from proofs_checks.sliding_window.checkpoints import (
    EQUAL,
    ORDERED_OUTSIDE,
    RUN,
    RUN_OUTSIDE,
    VECTORS,
    check_printed_lemma,
    numbers,
)

lemma_1 = cite("sliding-window.lemma-1@00a8a846")

HALF = Fraction(1, 2)


@lemma_1.refutes(grade="symbolic", region="three zero matrices, stamps 1, 2, 3")
def test_one_approximate_update_does_not_give_the_property(statement) -> None:
    assert statement.at(EQUAL) is Truth.FALSE
    stamped = {"a symmetric matrix for each stamp": attrs.evolve(EQUAL, stamps=(1, 2))}
    check_printed_lemma(statement, lambda eta: eta / 2, ORDERED_OUTSIDE | stamped)
    skew = attrs.evolve(EQUAL, matrices=(fmpq_mat([[0, 1], [0, 0]]),) * 3)
    assert statement.applies(skew) is Truth.FALSE
    (stamps,) = (condition for condition in statement.given if condition.says in stamped)
    assert stamps.at(Checkpoints((), (), HALF)) is Truth.FALSE, "no matrix at all"
    for last, answer in ((36, Truth.TRUE), (37, Truth.FALSE)):
        assert statement.at(numbers(100, 49, last)) is answer, "3/4 of 49 is 36.75"


def noisy(rows, window, eta, pattern, floor=0) -> StreamRun:
    """Build a run whose approximations sit at the ends of (4), in an order given by ``pattern``."""
    data, matrices, place = fmpq_mat(rows), [], 0
    quarter = rational(eta) / 4
    exact = StreamRun(data, window, eta, floor)
    for time in range(1, data.nrows() + 1):
        for stamp in range(1, time + 1):
            factor = 1 + quarter * (pattern >> (place % 7) & 1) - quarter * (pattern >> ((place + 3) % 5) & 1)
            (matrix,) = suffixes(exact, time, [stamp])
            matrices.append(factor * matrix)
            place += 1
    return StreamRun(data, window, eta, floor, tuple(matrices))


FOUR = "(4) at every time, for every stamp"
SHAPES = "no S~, or a symmetric one for every time and stamp"


def seen_at_the_ends(exact: StreamRun, skew: fmpq_mat) -> StreamRun:
    """Four rows: the exact sums, but at time 4 that of stamp 1 is seen as the least one, and 3 as the largest one."""
    seen = [matrix for time in range(1, 5) for matrix in suffixes(exact, time, list(range(1, time + 1)))]
    quarter = rational(exact.eta) / 4
    seen[6], seen[8] = (1 - quarter) * seen[6] + skew, (1 + quarter) * seen[8]
    return attrs.evolve(exact, approximations=tuple(seen))


def twisted() -> StreamRun:
    """Rows (1, 0), (1/2, 0), 0, 0 with W = 4, and one sum that is seen without its symmetry."""
    rows = fmpq_mat([[1, 0], [fmpq(1, 2), 0], [0, 0], [0, 0]])
    return seen_at_the_ends(StreamRun(rows, 4, HALF, 1), fmpq_mat([[0, 5], [-5, 0]]))


def nearly_deleted() -> StreamRun:
    """Rows 1, 1, 0, 0 on a floor of 37, eta = 1/20: 39 is seen as 38.51 and 37 as 37.46, and 39/40 of 38.51 is 37.55.

    Without 38 between them 39 and 37 would be neighbours that are not close, as 19/20 of 39 is 37.05.
    """
    run = seen_at_the_ends(StreamRun(fmpq_mat([[1], [1], [0], [0]]), 4, Fraction(1, 20), 37), fmpq_mat([[0]]))
    assert [one[0, 0] for one in suffixes(run, 4, [1, 2, 3])] == [39, 38, 37]
    high, low, least = run.approximations[6][0, 0], run.approximations[8][0, 0], fmpq(19, 20) * 39
    for value, shown in ((high, "38.51"), (low, "37.46"), (fmpq(39, 40) * high, "37.55"), (least, "37.05")):
        assert abs(arb(value) - arb(shown)) < arb("0.005")
    assert low < fmpq(39, 40) * high
    assert least > 37
    return run


LYING = StreamRun(fmpq_mat([[3], [1], [1], [1]]), 4, Fraction(1, 5), 0, tuple(fmpq_mat([[1]]) for _ in range(10)))
"""Second moments from 9 to 12, all seen as 1."""


def check_run(statement) -> None:
    exact = noisy([[2], [1], [1]], 2, HALF, 0)
    bad_low = tuple(fmpq(87, 100) * each for each in exact.approximations)
    bad_high = tuple(fmpq(113, 100) * each for each in exact.approximations)
    edges = [tuple(fmpq(k, 8) * each for each in exact.approximations) for k in (7, 9)]
    outside = {says: attrs.evolve(p, approximations=()) for says, p in RUN_OUTSIDE.items()}
    outside |= {
        "floor >= 0": attrs.evolve(RUN, floor=Fraction(-1, 50)),
        FOUR: LYING,
        SHAPES: twisted(),
    }
    insides = [exact, *(attrs.evolve(exact, approximations=edge) for edge in edges), attrs.evolve(RUN, floor=0)]
    for inside in insides:
        bind_hypotheses(statement, inside, outside)
    for wrong in (bad_high, bad_low):
        assert statement.applies(attrs.evolve(exact, approximations=wrong)) is Truth.FALSE
    (shapes,) = (condition for condition in statement.given if condition.says == SHAPES)
    assert shapes.at(attrs.evolve(exact, approximations=exact.approximations[1:])) is Truth.FALSE
    for place in range(6):
        only = list(exact.approximations)
        only[place] = bad_high[place]
        assert statement.applies(attrs.evolve(exact, approximations=tuple(only))) is Truth.FALSE, "each one counts"
    assert not statement.strict


@lemma_1.supports_repair(
    grade="derived",
    region="every stream and S~ under (4): Lemma 10's induction and the chain of the steps; core: 225 streams exactly",
)
def test_the_approximate_property_holds_along_every_stream(statement) -> None:
    """Closeness of exact matrices at the time of a deletion, by the chain, then kept under further rows.

    (1 - eta) S_i <= (1 - eta/2)(1 - eta/4)/(1 + eta/4) S_i <= (1 - eta/2)/(1 + eta/4) S~_i <= S~_j/(1 + eta/4) <= S_j,
    by Proposition 10, (4), the test and (4). The rest is the induction of Lemma 10, in which no order of the matrices
    was used but for the count. The factors are checked symbolically, the whole on streams with errors at both ends.
    """
    eta = sympy.Symbol("eta")
    product_of_factors = (1 - eta / 2) * (1 - eta / 4) / (1 + eta / 4)
    assert sympy.simplify(product_of_factors - (1 - eta) - 3 * eta**2 / 8 / (1 + eta / 4)) == 0
    count = 0
    for total in (1, 3, 5):
        streams = [[(entry,) for entry in entries] for entries in product((0, 1, 3), repeat=total)]
        streams += [list(choice) for choice in product(VECTORS, repeat=total)]
        for place, rows in enumerate(streams[:: max(1, len(streams) // 120)]):
            p = noisy(rows, 1 + place % (total + 1), Fraction(1 + place % 4, 5), place % 128, place % 2)
            assert every_approximation_margin(p) >= 0
            assert statement.at(p) is Truth.TRUE
            count += 1
    assert count > 200
    assert statement.conclusion(twisted()) is Truth.FALSE
    assert statement.at(nearly_deleted()) is Truth.TRUE
    check_run(statement)


@lemma_1.controls(
    "+repair", grade="symbolic", region="rows 3, 1, 1, 1, every approximation 1, eta = 1/5; two that are not symmetric"
)
def test_errors_beyond_a_quarter_lose_the_property(statement) -> None:
    """Distant sums are taken for close, and the property is lost."""
    assert statement.at(attrs.evolve(LYING, approximations=())) is Truth.TRUE
    assert statement.applies(LYING) is Truth.FALSE
    assert statement.without(FOUR).at(LYING) is Truth.FALSE
    skew = twisted()
    assert statement.applies(skew) is Truth.FALSE
    assert statement.without(SHAPES).at(skew) is Truth.FALSE, "the order is none between such matrices"


@lemma_1.refutes("update-rule", grade="symbolic", region="rows e_1, e_2; W = 2")
def test_survivors_need_not_be_close(statement) -> None:
    fresh = StreamRun(fmpq_mat([[1, 0], [0, 1]]), 2, HALF)
    assert statement.at(fresh) is Truth.FALSE
    assert statement.at(StreamRun(fmpq_mat([[1], [2]]), 2, HALF)) is Truth.TRUE
    assert statement.at(StreamRun(fmpq_mat([[1], [2]]), 2, Fraction(99, 250))) is Truth.FALSE, "5 and 4: eta/2 < 1/5"
    assert statement.at(StreamRun(fmpq_mat([[1], [2]]), 2, Fraction(2, 5))) is Truth.TRUE
    even = StreamRun(fmpq_mat([[2], [2], [2]]), 4, HALF, 16)
    assert statement.at(even) is Truth.TRUE, "28, 24 and 20: each is close to the next, the first not to the last"
    check_run(statement)


def chain(first, second, first_near, second_near, eta=HALF) -> ChainPoint:
    return ChainPoint(*(fmpq_mat([[rational(each)]]) for each in (first, second, first_near, second_near)), eta)


CHAINS = [
    chain(Fraction(a, 3), Fraction(b, 4), Fraction(c, 5), Fraction(d, 6), Fraction(e, 7))
    for a, b, c, d, e in product((2, 7), (3, 9), (1, 4), (5, 8), (2, 5))
]
ETA_OUTSIDE = {"eta > 0": chain(1, 1, 1, 1, 0), "eta < 1": chain(1, 1, 1, 1, 1)}
BELOW = -5  # where 1 + eta/4 is negative
EVERY_CHAIN = "every d: the order is kept under positive factors"


def number(matrix) -> Fraction:
    return Fraction(int(matrix[0, 0].p), int(matrix[0, 0].q))


def check_chain(statement, formula, outside, insides) -> None:
    """Bind the margin min(1, Y - X) of numbers X <= Y, and check the hypotheses."""
    bind(
        statement, ((p, formula(p.eta, *map(number, (p.first, p.second, p.first_near, p.second_near)))) for p in CHAINS)
    )
    for inside in insides:
        bind_hypotheses(statement, inside, outside)
    (positive_eta,) = (condition for condition in statement.given if condition.says == "eta > 0")
    assert positive_eta.at(chain(1, 1, 1, 1, 0)) is Truth.FALSE


DEFINITE = "L(j) is positive definite"


@lemma_1.supports("strict-factor", grade="derived", region="every d and every positive definite L(j): Proposition 10")
def test_a_definite_matrix_is_strictly_smaller(statement) -> None:
    """(1 - eta/2)(1 - eta/4) - (1 - eta)(1 + eta/4) = 3 eta^2/8: the factors differ by a positive number."""
    eta = sympy.Symbol("eta")
    gap = (1 - eta / 2) * (1 - eta / 4) - (1 - eta) * (1 + eta / 4)
    assert sympy.expand(gap - sympy.Rational(3, 8) * eta**2) == 0
    zero = fmpq_mat([[0, 0], [0, 0]])
    turned = fmpq_mat([[2, 1], [1, 3]])
    assert statement.at(ChainPoint(turned, zero, zero, zero, HALF)) is Truth.TRUE
    assert all(statement.at(p) is Truth.TRUE for p in CHAINS)
    assert statement.strict
    check_chain(
        statement,
        lambda e, *m: ((1 - e / 2) * (1 - e / 4) / (1 + e / 4) - (1 - e)) * m[0],
        ETA_OUTSIDE | {DEFINITE: chain(0, 1, 1, 1)},
        [chain(Fraction(1, 50), 1, 1, 1), chain(1, 1, 1, 1, Fraction(49, 50))],
    )


@lemma_1.controls("strict-factor", grade="symbolic", region="L(j) = diag(1, 0); eta = 0")
def test_a_singular_matrix_is_not_strictly_smaller(statement) -> None:
    singular, zero = fmpq_mat([[1, 0], [0, 0]]), fmpq_mat([[0, 0], [0, 0]])
    assert statement.without(DEFINITE).at(ChainPoint(singular, zero, zero, zero, HALF)) is Truth.FALSE
    assert statement.without("eta > 0").at(ETA_OUTSIDE["eta > 0"]) is Truth.FALSE


@lemma_1.supports("into-approximation", grade="derived", region=EVERY_CHAIN)
def test_into_the_approximation(statement) -> None:
    """It is (1 - eta/2)/(1 + eta/4) > 0 times (1 - eta/4) L(j) <= L~(j)."""
    assert statement.at(chain(1, 0, Fraction(7, 8), 0)) is Truth.TRUE, "equality"
    check_chain(
        statement,
        lambda e, *m: min(1, (1 - e / 2) / (1 + e / 4) * (m[2] - (1 - e / 4) * m[0])),
        {
            "eta > 0": chain(1, 0, 3, 0, BELOW),
            "eta < 1": ETA_OUTSIDE["eta < 1"],
            "(1 - eta/4) L(j) <= L~(j)": chain(1, 1, Fraction(87, 100), 1),
        },
        [chain(1, 1, Fraction(7, 8), 1), chain(0, 0, 0, 0)],
    )
    assert not statement.strict


@lemma_1.supports("between-approximations", grade="derived", region=EVERY_CHAIN)
def test_across(statement) -> None:
    """It is 1/(1 + eta/4) > 0 times (1 - eta/2) L~(j) <= L~(j+1)."""
    assert statement.at(chain(0, 0, 1, Fraction(3, 4))) is Truth.TRUE, "equality"
    check_chain(
        statement,
        lambda e, *m: min(1, (m[3] - (1 - e / 2) * m[2]) / (1 + e / 4)),
        {
            "eta > 0": chain(0, 0, 1, 4, BELOW),
            "(1 - eta/2) L~(j) <= L~(j+1)": chain(1, 1, 1, Fraction(37, 50)),
        },
        [chain(1, 1, 1, Fraction(3, 4)), chain(0, 0, 0, 0)],
    )
    assert not statement.strict


@lemma_1.supports("out-of-approximation", grade="derived", region=EVERY_CHAIN)
def test_out_of_the_approximation(statement) -> None:
    """It is 1/(1 + eta/4) > 0 times L~(j+1) <= (1 + eta/4) L(j+1)."""
    assert statement.at(chain(0, 1, 0, Fraction(9, 8))) is Truth.TRUE, "equality"
    check_chain(
        statement,
        lambda e, *m: min(1, m[1] - m[3] / (1 + e / 4)),
        {
            "eta > 0": chain(0, 1, 0, -1, BELOW),
            "L~(j+1) <= (1 + eta/4) L(j+1)": chain(1, 1, 1, Fraction(113, 100)),
        },
        [chain(1, 1, 1, Fraction(9, 8)), chain(0, 0, 0, 0)],
    )
    assert not statement.strict


@lemma_1.refutes(
    "singular-value", grade="interval", region="diag(100, 1) and diag(100, 1) - vv', v = (27/10, 27/100), eta = 1/4"
)
def test_the_drop_need_not_show_in_a_singular_value(statement) -> None:
    """Both eigenvalues stay above 7/8 of the old ones, but 7/8 of the old matrix does not precede the new one."""
    large = fmpq_mat([[100, 0], [0, 1]])
    vector = fmpq_mat([[fmpq(27, 10)], [fmpq(27, 100)]])
    small = large - vector * vector.transpose()
    point = DropPoint(large, small, Fraction(1, 4))
    assert statement.at(point) is Truth.FALSE
    assert small.det() / large.det() < fmpq(7, 8), "the determinant does show it"
    assert statement.strict
    values = []
    for (a, b), k in product(((3, 1), (5, 2), (4, 4), (5, 5)), range(1, 7)):
        large, small = fmpq_mat([[7, 0], [0, 6]]), fmpq_mat([[a, 0], [0, b]])
        eta = Fraction(k, 7)
        values.append((DropPoint(large, small, eta), max((1 - eta / 2) * 7 - a, (1 - eta / 2) * 6 - b)))
    bind(statement, values)
    says = "0 <= small <= large, not close"
    bind_hypotheses(
        statement,
        point,
        {
            "eta > 0": attrs.evolve(point, eta=0),
            "eta < 1": attrs.evolve(point, eta=1),
            says: attrs.evolve(point, eta=Fraction(1, 2)),
        },
    )
    one = fmpq_mat([[1]])
    for small_entry, answer in ((fmpq(87, 100), Truth.TRUE), (fmpq(22, 25), Truth.FALSE), (-one[0, 0], Truth.FALSE)):
        assert statement.applies(DropPoint(one, fmpq_mat([[small_entry]]), Fraction(1, 4))) is answer
    cross = DropPoint(diagonal((2, 1)), diagonal((1, 2)), Fraction(1, 4))
    assert statement.applies(cross) is Truth.FALSE, "not ordered"


def test_structure_carries_what_it_is_made_of() -> None:
    p = structure(RUN, HALF)
    assert p.stamps[-1] == 4
    assert p.floor == 1
    assert arb(p.matrices[-1][0, 0]) == 5

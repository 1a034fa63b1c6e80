"""What is left of Theorem 19 of `sliding-window`: an approximation of small error gives the window back."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.recovered_windows import TwoEntryWindows

theorem_19 = cite("sliding-window.theorem-19@9132f892")

THIRD = Fraction(1, 3)
ENTRIES = "integer entries below 2^b, W x k, and B is W x d"
MIDDLE = TwoEntryWindows(
    fmpq_mat([[0], [1]]), fmpq_mat([[1], [1]]), 1, 5, fmpq_mat([[fmpq(5, 2), 0], [5, 0]]), Fraction(12, 5), THIRD
)
"""W = 2, k = b = 1, d = 2, G = 5: the answer is half-way, and tau 12/5."""
FOUR = TwoEntryWindows(
    fmpq_mat([[0, 3], [1, 2], [3, 3], [0, 0]]),
    fmpq_mat([[0, 3], [1, 1], [3, 3], [0, 0]]),
    2,
    1,
    fmpq_mat([[0, 3], [1, 2], [3, 3], [0, 0]]),
    0,
    THIRD,
)
LONG = TwoEntryWindows(fmpq_mat(64, 1), fmpq_mat(64, 1, [1] + [0] * 63), 1, 5, fmpq_mat(64, 1), 0, THIRD)
OUTSIDE = {
    ENTRIES: attrs.evolve(MIDDLE, second=fmpq_mat([[fmpq(1, 10)], [1]]), answer=fmpq_mat([[0, 0], [5, 0]])),
    "the windows differ": attrs.evolve(MIDDLE, second=MIDDLE.first, answer=fmpq_mat([[0, 0], [5, 0]])),
    "W >= 2": TwoEntryWindows(fmpq_mat([[0]]), fmpq_mat([[1]]), 1, 5, fmpq_mat([[0]]), 0, THIRD),
    "2^b >= W": LONG,
    "additive >= 0": attrs.evolve(MIDDLE, additive=-3),
    "G > 2 tau": attrs.evolve(MIDDLE, additive=Fraction(5, 2)),
}


def smaller(p: TwoEntryWindows):
    """W k b - 1 - c W k log2(W), or the larger squared error minus tau^2."""
    size, rank = p.first.nrows(), p.first.ncols()
    bits = size * rank * p.entry_bits - 1 - real(p.constant) * size * rank * mpmath.log(size, 2)
    errors = []
    for entries in (p.first, p.second):
        error = mpmath.mpf(0)
        for i, j in product(range(size), range(p.answer.ncols())):
            own = real(p.gap) * real(entries[i, j]) if j < rank else 0
            error += (own - real(p.answer[i, j])) ** 2
        errors.append(error)
    return min(bits, max(errors) - real(p.additive) ** 2)


@theorem_19.supports_repair(
    grade="derived", region="every W >= 2, k <= d, b >= log2(W), tau and G > 2 tau: the triangle inequality"
)
def test_a_small_error_gives_the_window_back(statement) -> None:
    """If B were within tau of A and A', G <= |A - A'|_F <= 2 tau < G. The windows have rank k at most: min is 0.

    Bits. Let the algorithm succeed with probability 2/3 for each of the N = 2^(W k b) windows. On average over its seed
    it does so for 2N/3 of them, so for some seed it does for as many. For these the states after W rows differ, as from
    equal states comes the same B. So the states number 2N/3, and log2(2N/3) > W k b - 1. And W k b - 1 > W k log2(W)/3,
    as b >= log2(W), b >= 1 and W k >= 2: 2 W k b/3 >= 4/3.
    """
    size, rank, entry_bits, log_size = sympy.symbols("W k b L", positive=True)
    spare = size * rank * entry_bits - 1 - size * rank * log_size / 3
    split = size * rank * (entry_bits - log_size) / 3 + (2 * size * rank * entry_bits / 3 - 1)
    assert sympy.expand(spare - split) == 0
    assert Fraction(2 * 2, 3) > 1
    assert sympy.log(sympy.Rational(2, 3), 2) > -1
    values = []
    with mpmath.workdps(60):
        for a, b, gap in product((0, 1, fmpq(5, 2), 7), (0, fmpq(1, 3), 5), (1, 5)):
            answer = fmpq_mat([[a, b], [5, 0]])
            p = attrs.evolve(MIDDLE, answer=answer, gap=gap, additive=Fraction(gap, 3))
            values += [(p, smaller(p)), (attrs.evolve(p, entry_bits=3), smaller(attrs.evolve(p, entry_bits=3)))]
            assert statement.at(p) is Truth.TRUE
        for p in (MIDDLE, FOUR, *OUTSIDE.values()):
            if p is not OUTSIDE[ENTRIES]:
                values.append((p, smaller(p)))
        assert any(value < 0 for _, value in values)
        bind(statement, values)
    for p in (MIDDLE, FOUR, attrs.evolve(FOUR, answer=FOUR.second), attrs.evolve(MIDDLE, additive=0, gap=1)):
        assert statement.at(p) is Truth.TRUE
    assert statement.strict
    assert [one.exhibited for one in statement.exists] == [rational(THIRD)]
    for inside in (MIDDLE, FOUR, attrs.evolve(FOUR, additive=Fraction(49, 100))):
        bind_hypotheses(statement, inside, OUTSIDE)
    for says, point in OUTSIDE.items():
        if says != ENTRIES:
            assert statement.conclusion(point) is Truth.FALSE
    third = fmpq_mat([[0], [fmpq(1, 5)]])
    near = attrs.evolve(MIDDLE, first=0 * third, second=third, answer=fmpq_mat([[0, 0], [0, 0]]), additive=1)
    assert statement.applies(near) is Truth.FALSE, "an entry that is no integer"
    assert statement.without(ENTRIES).at(near) is Truth.FALSE
    for wrong in ({"answer": fmpq_mat(3, 2)}, {"second": fmpq_mat([[2], [1]])}, {"second": fmpq_mat([[-1], [1]])}):
        assert statement.applies(attrs.evolve(MIDDLE, **wrong)) is Truth.FALSE


@theorem_19.controls("+repair", grade="interval", region="G = 2 tau; entries of one bit; c = 2/3 at W = 2")
def test_a_smaller_gap_tells_nothing(statement) -> None:
    assert statement.at(MIDDLE) is Truth.TRUE
    assert statement.without("G > 2 tau").at(OUTSIDE["G > 2 tau"]) is Truth.FALSE
    assert statement.without("2^b >= W").at(LONG) is Truth.FALSE
    large = Fraction(2, 3)
    assert statement.exhibits(constant=large).at(attrs.evolve(MIDDLE, constant=large)) is Truth.FALSE

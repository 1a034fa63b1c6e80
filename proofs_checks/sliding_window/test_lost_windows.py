"""Item 2 of Theorems 17 and 18 of `sliding-window`: the lines as stated lose a row of the window."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
from dpmatrix.spec.sliding_window.lost_windows import LostWindow
from flint import fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.wishart_stream import PRINTED, NoisyStream, history

theorem_17 = cite("sliding-window.theorem-17@9e99af67")
theorem_18 = cite("sliding-window.theorem-18@151e4714")

MILLIONTH, SMALL, LARGE = Fraction(1, 10**6), Fraction(1, 50), Fraction(49, 50)
LOGARITHMIC, POWER = (f"sliding-window.theorem-{number}/item-2" for number in (17, 18))
LONG = LostWindow(2, 1, MILLIONTH, 195, 1000, 1)
"""195 is the integer part of 2 + 14 log(10^6) = 195.4."""


def check_lost_row() -> None:
    """Check that the output after two equal rows is one of them, and the noise of either time, for noises of any order.

    The pair of time 1 stands first in the list, and the loop begins with the second one, so nothing is added to it.
    Lines 12 to 14 keep it, or only the pair of time 2; Update deletes neither the first nor the newest.
    """
    rows = fmpq_mat([[7, 0], [7, 0]])
    one = fmpq_mat([[49, 0], [0, 0]])
    noises = [fmpq_mat([[a, b], [b, c]]) for a, b, c in ((3, 1, 2), (5, -1, 4), (1, 0, 9), (9, 2, 1))]
    seen = set()
    for first, second in product(noises, repeat=2):
        output = history(NoisyStream(rows, (first, second), 2), PRINTED)[-1][0].matrix
        assert output in (one + first, one + second)
        seen.add(output == one + first)
    assert seen == {True, False}


def slack(name: str, p: LostWindow):
    """Twice the chi-square tail, or 2, less 1/2."""
    factor = mpmath.log(2) ** (mpmath.mpf(3) / 2) if name == LOGARITHMIC else mpmath.mpf(2) ** (mpmath.mpf(3) / 4)
    tau = (p.dimension - 14 * mpmath.log(real(p.delta)) / real(p.epsilon) ** 2) * factor
    lost = real(p.row) ** 2 - real(p.constant) * tau * mpmath.log(tau)
    half = mpmath.mpf(1) / 2
    return (2 * mpmath.gammainc(p.degrees * half, lost / 2, regularized=True) if lost > 0 else 2) - half


@theorem_17.refutes(
    "item-2", grade="derived", region="d = 2, eps = 1, delta = 10^-6, tau = 195: every c, by M = 1000 + 2c"
)
@theorem_18.refutes(
    "item-2", grade="derived", region="d = 2, eps = 1, delta = 10^-6, tau = 195: every c, by M = 1000 + 2c"
)
def test_a_row_of_the_window_is_lost(statements) -> None:
    """E'C~e = M^2 + R_11 for the noise R of time 1 or 2, and R_11 is chi-square with tau degrees: see `check_lost_row`.

    A_W'A_W - E <= C~ needs M^2 + R_11 >= 2 M^2 - E, so some one of two noises has R_11 >= M^2 - E, of probability at
    most 2 Pr(chi^2_tau >= M^2 - E). Every c: E < 1906 c, and (1000 + 2c)^2 - 1906 c > 10^6, far above tau.
    """
    check_lost_row()
    with mpmath.workdps(60):
        for factor in (mpmath.log(2) ** 1.5, mpmath.mpf(2) ** 0.75):
            tau = (2 + 14 * mpmath.log(10**6)) * factor
            assert tau * mpmath.log(tau) < 1906
        for name, statement in statements.items():
            statement.refute(lambda constant: attrs.evolve(LONG, constant=constant, row=1000 + 2 * rational(constant)))
            values = [
                (p, slack(name, p))
                for d, epsilon, degrees, row, constant in product((2, 5), (1, 3), (20, 195), (3, 60), (SMALL, 1))
                for p in [LostWindow(d, epsilon, MILLIONTH, degrees, row, constant)]
            ]
            assert len({value > 0 for _, value in values}) == 2
            assert any(0 < value + Fraction(1, 2) < 2 for _, value in values), "here the tail decides"
            bind(statement, values)
            assert statement.at(LONG) is Truth.FALSE
            assert statement.at(attrs.evolve(LONG, row=3)) is not Truth.FALSE
            assert not statement.strict
            assert statement.one_sided
            outside = {
                "dimension >= 2, an integer": attrs.evolve(LONG, dimension=1),
                "epsilon > 0": attrs.evolve(LONG, epsilon=0),
                "delta > 0": attrs.evolve(LONG, delta=0),
                "delta < 1": attrs.evolve(LONG, delta=1),
                "degrees >= 1, an integer": attrs.evolve(LONG, degrees=0),
                "row >= 0": attrs.evolve(LONG, row=-SMALL),
                "tau >= floor(d + 14 log(1/delta)/eps^2)": attrs.evolve(LONG, degrees=194),
            }
            wide = LostWindow(2, SMALL, LARGE, 800, 0, 1)
            for inside in (LONG, wide, LostWindow(2, 30, MILLIONTH, 2, 1, 1), LostWindow(2, 50, LARGE, 2, 1, 1)):
                bind_hypotheses(statement, inside, outside)

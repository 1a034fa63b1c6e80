"""One row of the data: how little the eigengap and the projector onto the principal subspace move."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real_matrix
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.neighbouring_subspaces import (
    ChangedMoment,
    gap,
    projector_bound,
    projector_distance,
    rows_changed,
)
from proofs_checks.analyze_gauss.online_guarantees import turned
from proofs_checks.exact_matrices import diagonal
from proofs_checks.projector_algebra import P, Q, reduced

subspace_privacy = cite("analyze-gauss.subspace-privacy@54138e5e")

DRAWS = random.Random(20140603)
NAME = "analyze-gauss.subspace-privacy"


def row(*entries) -> fmpq_mat:
    return fmpq_mat(len(entries), 1, [rational(entry) for entry in entries])


def drawn_row(order: int) -> fmpq_mat:
    """Draw a rational row of norm at most one, not much shorter."""
    raw = [DRAWS.randint(-9, 9) for _ in range(order)]
    norm = sum(x * x for x in raw) ** 0.5 or 1.0
    scale = Fraction(int(1000 / norm), 1000)
    return row(*(Fraction(x) * scale for x in raw))


def drawn_change(order: int, k: int, gap: int, kind: str) -> ChangedMoment:
    zero = row(*[0] * order)
    removed = drawn_row(order) if kind in ("removed", "replaced") else zero
    added = drawn_row(order) if kind in ("added", "replaced") else zero
    noise = fmpq_mat(order, order, [fmpq(DRAWS.randint(-2, 2), 7) for _ in range(order * order)])
    base = diagonal([gap + 2 + DRAWS.randint(0, 1) if i < k else DRAWS.randint(0, 1) for i in range(order)])
    moment = base + noise * noise.transpose() + removed * removed.transpose()
    return ChangedMoment(moment, removed, added, k)


CHANGES = [
    drawn_change(order, k, gap, kind)
    for order in (2, 3)
    for k in range(1, order)
    for gap in (4, 9)
    for kind in ("added", "removed", "replaced")
] + [drawn_change(4, 2, 4, kind) for kind in ("added", "removed", "replaced")]
SINGLES = [p for p in CHANGES if not any(p.removed.entries()) or not any(p.added.entries())]
FILL = [drawn_change(2, 1, gap, kind) for gap in (3, 5, 7) for kind in ("added", "removed")]
INSIDE = ChangedMoment(diagonal([4, 1]), row(0, 0), row(Fraction(3, 5), Fraction(4, 5)), 1)
ROWS = {
    "k >= 1, an integer": attrs.evolve(INSIDE, k=0),
    "k < n": attrs.evolve(INSIDE, k=2),
    "rows have norm at most 1": attrs.evolve(INSIDE, added=row(Fraction(3, 5), Fraction(81, 100))),
    "the removed row is a row of A": attrs.evolve(INSIDE, moment=diagonal([4, Fraction(1, 2)]), removed=row(0, 1)),
}
BOTH = {"one row is added or removed, not both": attrs.evolve(INSIDE, removed=row(0, 1))}
NARROW = {"the gap exceeds 2": attrs.evolve(INSIDE, moment=diagonal([3, 1]))}
LOW = {"the gap exceeds 1, and 2 if a row is replaced": attrs.evolve(INSIDE, moment=diagonal([2, 1]))}
SHARP = ChangedMoment(diagonal([Fraction(32, 7), 1]), row(0, 0), row(Fraction(3, 5), Fraction(4, 5)), 1)
SHARPEST = ChangedMoment(
    diagonal([Fraction(57, 7), 1]), row(Fraction(-4, 5), Fraction(3, 5)), row(Fraction(3, 5), Fraction(4, 5)), 1
)
FLAT = attrs.evolve(SHARPEST, moment=diagonal([3, 1]))
"""The gaps are 25/7, 50/7 and 2."""


@attrs.frozen
class Numbers:
    """Gap, its change and the distance of the projectors at 60 digits, computed without the specification."""

    gap: mpmath.mpf
    change: mpmath.mpf
    distance: mpmath.mpf
    replaced: bool


def numbers(p: ChangedMoment) -> Numbers:
    other = p.moment - p.removed * p.removed.transpose() + p.added * p.added.transpose()
    gaps, projectors = [], []
    for moment in (real_matrix(p.moment), real_matrix(other)):
        values, vectors = mpmath.eigsy(moment)
        order = moment.rows
        gaps.append(values[order - p.k] - values[order - p.k - 1])
        top = vectors[:, order - p.k :]
        projectors.append(top * top.T)
    distance = mpmath.sqrt(sum(x**2 for x in projectors[0] - projectors[1]))
    both = any(p.removed.entries()) and any(p.added.entries())
    return Numbers(gaps[0], abs(gaps[1] - gaps[0]), distance, both)


def bind_numbers(statement, points, formula) -> None:
    bind_formula(statement, points, lambda p: formula(numbers(p)))


@subspace_privacy.supports("gap-added", grade="derived", region="every n, k and row, by the docstring; 20 points")
@subspace_privacy.supports("gap-replaced", grade="derived", region="every n, k and rows, by the docstring; 21 points")
def test_one_row_changes_the_gap_little(statements) -> None:
    """Adding aa' raises every eigenvalue by d_i >= 0 (Weyl), and the d_i sum to the trace |a|^2 <= 1, so d_k - d_{k+1}
    is in [-1, 1]; removing is the same backwards. A replaced row is one of each. Both are attained: e_k, and e_{k+1}
    for e_k.
    """  # noqa: D205
    added, replaced = statements[f"{NAME}/gap-added"], statements[f"{NAME}/gap-replaced"]
    bind_numbers(added, SINGLES + FILL, lambda x: 1 - x.change)
    bind_numbers(replaced, CHANGES, lambda x: 2 - x.change)
    for p in SINGLES + FILL:
        assert added.at(p) is Truth.TRUE
    for p in CHANGES:
        assert replaced.at(p) is Truth.TRUE
    nearly = Fraction(999, 1000)
    sharp = ChangedMoment(diagonal([4, 1]), row(0, 0), row(nearly, 0), 1)
    swapped = ChangedMoment(diagonal([4, 1]), row(nearly, 0), row(0, nearly), 1)
    assert added.nudged(lambda margin: margin - fmpq(1, 100)).at(sharp) is Truth.FALSE
    assert replaced.nudged(lambda margin: margin - fmpq(1, 100)).at(swapped) is Truth.FALSE
    attained = ChangedMoment(diagonal([4, 1]), row(0, 0), row(1, 0), 1)
    assert added.at(attained) is Truth.TRUE, "e_1 is added"
    assert replaced.at(ChangedMoment(diagonal([3, 1]), row(1, 0), row(0, 1), 1)) is Truth.TRUE, "e_2 for e_1"
    bind_hypotheses(added, INSIDE, ROWS | BOTH)
    bind_hypotheses(replaced, INSIDE, ROWS)


@subspace_privacy.supports(
    "projector-bound",
    grade="derived",
    region="every n, k, gap and rows, by the docstring's derivation; its algebra machine-checked, and 21 points",
)
@subspace_privacy.supports(
    "projector-added",
    grade="derived",
    region="every n, k, gap > 2 and row, from projector-bound",
)
def test_one_row_moves_the_projector_little(statements) -> None:
    """Let M and M + Z be the two matrices, P and R their top projectors, S = 2R - 1, g > 0 the gap of M. S commutes
    with M + Z, so M' = SMS = M + Z - SZS, and P' = SPS is the top projector of M'. With X = (1 - P')P,
    M'X - XM = (1 - P')(Z - SZS)P. In eigenbases of M' and M the left side has the entries of X times differences of
    at least g, so |X|_F <= |(1 - P')(Z - SZS)P|_F / g. If t_i are the angles between the images of P and R, those of P
    and P' are 2 t_i: R is half way. So |X|_F^2 is the sum of the sin^2(2 t_i).

    For Z = aa' or -aa', |a| <= 1, b = Sa: aa' - bb' is symmetric with trace zero and rank two at most, c (uu' - ww')
    with c <= |a|^2 <= 1 and u, w orthonormal. S turns it into its negative, so Su = w or -w. With p = |Pu|^2,
    q = |Pw|^2, r = u'Pw the numerator squared is c^2 (p + q - 2pq + 2r^2) (1). By Cauchy and Schwarz r^2 <= pq, and
    r^2 <= (1 - p)(1 - q), as u'(1 - P)w = -r. So it is at most p + q and 2 - p - q (2), and so at most 1. A replaced
    row is two such Z with the same P and S: at most 2. Hence |X|_F <= x = 1/g or 2/g.

    The spread of the eigenvalues of Z is at most 1 or 2, less than g. So on M + tZ, 0 <= t <= 1, the gap stays
    positive, the projector is continuous, and sin(2 t_i) <= x < 1: all t_i < pi/4. Then
    |P - R|_F^2 = 2 sum sin^2 t_i = sum (1 - sqrt(1 - y_i)) with y_i = sin^2(2 t_i). That is convex in y_i and 0 at 0,
    so at most 1 - sqrt(1 - x^2), the square of the bound (3), and of sqrt(2) sin(arcsin(x)/2) (4). It is at most x^2:
    for a row added or removed the bound is at most 1/g < 1/(g - 2).
    """  # noqa: D205
    p, q, r, x, t = sympy.symbols("p q r x t", positive=True)
    rest = {"uu": 1 - q, "ww": 1 - p, "uw": -r}  # u'(1 - P')u = 1 - |Pw|^2, as P'u = SPSu and Su = w or -w
    size = rest["uu"] * p - 2 * rest["uw"] * r + rest["ww"] * q
    assert sympy.expand(size - (p + q - 2 * p * q + 2 * r**2)) == 0, "(1): tr((uu' - ww')(1 - P')(uu' - ww')P)"
    assert sympy.expand(size.subs(r**2, p * q) - (p + q)) == 0, "(2)"
    assert sympy.expand(size.subs(r**2, (1 - p) * (1 - q)) - (2 - p - q)) == 0, "(2)"
    assert reduced((P - Q) ** 2 - (P + Q - P * Q - Q * P)) == 0, "|P - R|^2 = 2k - 2 tr(PR) = 2 sum sin^2"
    y = sympy.Symbol("y", positive=True)
    assert sympy.simplify(sympy.diff(1 - sympy.sqrt(1 - y), y, 2) - (1 - y) ** sympy.Rational(-3, 2) / 4) == 0, "convex"
    root = sympy.sqrt(1 - x**2)
    assert sympy.simplify(x**2 / (1 + root) - (1 - root)) == 0, "(3)"
    assert sympy.simplify(2 * sympy.sin(t / 2) ** 2 - (1 - sympy.cos(t))) == 0, "(4), x = sin t"
    limit, printed = statements[f"{NAME}/projector-bound"], statements[f"{NAME}/projector-added"]
    bind_numbers(limit, CHANGES, lambda x: turned(x.gap, 2 if x.replaced else 1) - x.distance)
    bind_numbers(printed, SINGLES + FILL, lambda x: 1 / (x.gap - 2) - x.distance)
    assert all(limit.at(p) is Truth.TRUE for p in CHANGES)
    assert all(printed.at(p) is Truth.TRUE for p in SINGLES + FILL)
    short = {says: point for says, point in ROWS.items() if says != "the removed row is a row of A"}
    bind_hypotheses(limit, INSIDE, short | LOW)
    assert limit.applies(SHARPEST) is Truth.TRUE
    assert limit.applies(FLAT) is Truth.FALSE, "a row replaced at a gap of 2"
    bind_hypotheses(printed, INSIDE, short | NARROW | BOTH)
    wider = attrs.evolve(INSIDE, moment=diagonal([Fraction(31, 10), 1]))
    assert printed.applies(wider) is Truth.TRUE, "a gap of 2.1"
    assert limit.applies(attrs.evolve(INSIDE, moment=diagonal([Fraction(21, 10), 1]))) is Truth.TRUE, "a gap of 1.1"


@subspace_privacy.controls(
    "projector-bound",
    grade="interval",
    region="n = 2: the bound is attained, so that 0.999 of it fails; a row too long",
)
def test_the_bound_is_attained(statement) -> None:
    """The row that comes is at the angle to e_1 for which the matrix turns by half of arcsin(1/gap) or arcsin(2/gap);
    the one that leaves is perpendicular to it.
    """  # noqa: D205

    def less(p: ChangedMoment) -> arb:
        return projector_bound(gap(p), rows_changed(p)) * fmpq(999, 1000) - projector_distance(p)

    for p in (SHARP, SHARPEST):
        assert statement.margin(p).contains(0)
        assert statement.nudged(margin=less).at(p) is Truth.FALSE
    longer = attrs.evolve(SHARP, added=row(Fraction(31, 50), Fraction(41, 50)))
    assert statement.without("rows have norm at most 1").at(longer) is Truth.FALSE

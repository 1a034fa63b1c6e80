"""Algorithm 2: neighbours that close the eigengap, the local sensitivity of the projector, the repaired guarantee."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product

import attrs
import mpmath
import sympy
from flint import acb, arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.exact import precision, rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles import GaussianProfile, LaplaceProfile
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import printed_deviation
from dpmatrix.spec.analyze_gauss.neighbouring_subspaces import (
    ChangedMoment,
    gap,
    projector_bound,
    projector_distance,
    rows_changed,
)
from dpmatrix.spec.analyze_gauss.subspace_privacy import (
    GapSettings,
    RelatedGap,
    normal_tail,
    offset,
    wrong_vector_probability,
)
from dpmatrix.tracing import bind_expression
from proofs_checks.analyze_gauss.online_guarantees import GUARANTEE, outside
from proofs_checks.exact_matrices import diagonal
from proofs_checks.gaussian_profiles import divergence
from proofs_checks.projector_algebra import P, Q, reduced
from proofs_checks.quadrature import integrated

subspace_privacy = cite("analyze-gauss.subspace-privacy@106540f4")

DRAWS = random.Random(20140603)
NAME = "analyze-gauss.subspace-privacy"
SMALL = Fraction(1, 10**6)


LEAK = GapSettings(1, SMALL, Fraction(1, 10))
LEAKS = [
    GapSettings(epsilon, delta, Fraction(tenths, 10))
    for epsilon, delta, tenths in product((Fraction(1, 2), 2), (Fraction(1, 1000), SMALL), (1, 3, 5, 7, 9))
]


@subspace_privacy.refutes(
    grade="interval",
    region="epsilon = 1, delta = 1e-6, diag(t + 1/10, t) and diag(t + 1/10, t + 1): 0.999 against 0.0011",
)
def test_neighbours_that_close_the_gap_are_told_apart(statement) -> None:
    """W_11 - W_22 is N(1, 2 sigma^2) for the data and N(-1, 2 sigma^2) for the neighbour; the output is closer to e_1
    exactly when it is positive. The two probabilities are integrated once more, in balls.
    """  # noqa: D205
    assert statement.at(LEAK) is Truth.FALSE
    assert statement.margin(LEAK) < -arb(99) / 100
    missing = [wrong_vector_probability(LEAK, arb(rational(gap))) for gap in (LEAK.gap, 1 - LEAK.gap)]
    subspace_privacy.tells("event has probability {} against {}", 1 - missing[0], missing[1])
    subspace_privacy.tells("twice the offset, {} at epsilon = 1", 2 * offset(LEAK.epsilon, LEAK.delta))
    assert statement.at(GapSettings(Fraction(1, 10), Fraction(1, 100), Fraction(1, 10))) is Truth.FALSE
    assert statement.at(GapSettings(20, Fraction(1, 10), Fraction(1, 2))) is Truth.TRUE
    with mpmath.workdps(52):
        values = []
        for p in LEAKS:
            kept, lost = 1 - missed(p.epsilon, p.delta, p.gap), missed(p.epsilon, p.delta, 1 - p.gap)
            share = kept - mpmath.exp(2 * real(p.epsilon)) * lost
            values.append((p, 2 * real(p.delta) - max(share, mpmath.mpf(0))))
        bind(statement, values)
    quiet = GapSettings(20, Fraction(1, 128), Fraction(1, 2))
    assert statement.margin(quiet) == arb(1) / 64, "the event is no likelier than e^(2 epsilon) allows: no leak"
    assert_near_tails()
    assert_far_tails()
    bind_hypotheses(statement, LEAK, outside(LEAK, GUARANTEE | {"gap > 0": {"gap": 0}, "gap < 1": {"gap": 1}}))


def assert_near_tails() -> None:
    """Up to z = 1000 the tail is no mere enclosure by Mills' bounds, which differ by 1/z^2 of it."""
    with mpmath.workdps(60), precision(200):
        for z in (1, 30, 950, 1000):
            exact = arb(mpmath.nstr(mpmath.erfc(z / mpmath.sqrt(2)) / 2, 50))
            assert abs(normal_tail(arb(z)) / exact - 1) < arb(2) ** -100


def assert_far_tails() -> None:
    """Compare both ends with Phi(-z): the one differs by 2/z^4 of it, the other by 1/z^2."""
    with mpmath.workdps(60), precision(200):
        for z in (1001, 3000, 10**5):
            found, exact = normal_tail(arb(z)), arb(mpmath.nstr(mpmath.erfc(z / mpmath.sqrt(2)) / 2, 50))
            for end, off in ((found.upper(), arb(z) ** -2), (found.lower(), -2 * arb(z) ** -4)):
                assert abs(end / exact - 1 - off) < arb(z) ** -2 * arb(2) ** -18


@cache
def missed(epsilon, delta, gap) -> mpmath.mpf:
    """Pr(closer to the other eigenvector): the Laplace density times the normal tail, integrated in balls."""
    with precision(300):
        rate, logarithm = arb(rational(epsilon)) / 2, -arb(rational(delta)).log()
        width = 2 * (1 + (2 * logarithm).sqrt()) / arb(rational(epsilon))
        middle = arb(rational(gap)) - 2 - logarithm / rate
        far = 170 / rate  # beyond it is less than e^-170 of the Laplace law
        assert middle < 0, "so that the kinks are in this order"

        def density(side: int, sign: int) -> Callable[[acb], acb]:
            return lambda y: rate / 4 * (side * (y - middle) * rate).exp() * (sign * y / width).erfc()

        pieces = (
            (density(1, -1), middle - far, middle),
            (density(-1, -1), middle, arb(0)),
            (density(-1, 1), arb(0), far),
        )
        return sum((integrated(*piece) for piece in pieces), mpmath.mpf(0))


REPAIRED = [
    RelatedGap(epsilon, delta, gap, adjacency)
    for epsilon, delta, gap, adjacency in product(
        (Fraction(1, 10), 1, 20), (Fraction(1, 1000), SMALL), (Fraction(21, 10), 3, 8, 90), tuple(Adjacency)
    )
]


def repaired_margin(fixed) -> sympy.Expr:
    """Half of delta minus the divergence at the least noise of the projector."""
    epsilon, delta, gap = sympy.symbols("epsilon delta gap", positive=True)
    rows = 2 if fixed["adjacency"] is Adjacency.REPLACE_ONE else 1
    a, sine = sympy.sqrt(2 * sympy.log(1 / delta)), rows / gap
    moved = sine / sympy.sqrt(1 + sympy.sqrt(1 - sine**2))
    size = sympy.Max((1 + a) / epsilon, (a + sympy.sqrt(a**2 + 2 * epsilon)) / (2 * epsilon))
    return delta / 2 - divergence(epsilon, moved / (sympy.sqrt(rows) * size / (gap - 2)))


@subspace_privacy.supports_repair(
    grade="derived",
    region="every gap, epsilon and delta under the hypotheses, both relations, by the docstring; 48 points",
)
def test_repaired_recovery_keeps_its_guarantee(statement) -> None:
    """Let g be the gap of the data, s = 1 for a row added or removed and s = 2 for one replaced, L = log(1/delta).
    Write B for Lap(2/epsilon) > 2L/epsilon, of probability delta/2 (1). Outside B the noisy gap is at most g +
    2L/epsilon, so a release needs g > 2, and its deviation is at least sqrt(s) Delta'/(g - 2). With x = s/g the
    projector moves by at most x/sqrt(1 + sqrt(1 - x^2)) (step projector-bound), which is at most x/sqrt(2 - x), as
    sqrt(1 - x^2) >= 1 - x; that is at most x/(sqrt(2) (1 - x)) = (s/sqrt(2))/(g - s) (2), and so at most
    sqrt(s)/(g - 2): at s = 1 even 1/sqrt(2) of it (3). That is a (1/Delta')-th of the deviation, and Algorithm 1's
    repair gives the delta of the noise as at most delta/2. The noisy gap itself costs s epsilon/2 <= epsilon (4). So
    for every set S of outcomes Pr(S) <= Pr(B) + integral over gaps outside B of p(gap) (e^epsilon Pr'(S | gap) +
    delta/2), which is at most delta/2 + e^(2 epsilon) Pr'(S) + delta/2. Where g <= 2, a release happens in B only.
    """  # noqa: D205
    epsilon, delta, x, g = sympy.symbols("epsilon delta x g", positive=True)
    logarithm = sympy.log(1 / delta)
    assert sympy.simplify(sympy.exp(-(2 * logarithm / epsilon) * epsilon / 2) / 2 - delta / 2) == 0, "(1)"
    assert sympy.expand(2 - x - 2 * (1 - x) ** 2 - x * (3 - 2 * x)) == 0, "(2)"
    for s in (1, 2):
        assert sympy.simplify((x / (1 - x)).subs(x, s / g) - s / (g - s)) == 0, "(2)"
        assert s / sympy.sqrt(2) <= sympy.sqrt(s), "(3), as g - s >= g - 2"
    with mpmath.workdps(80):
        values = []
        for p in REPAIRED:
            e, d, gap = map(real, (p.epsilon, p.delta, p.gap))
            rows = 2 if p.adjacency is Adjacency.REPLACE_ONE else 1
            a = mpmath.sqrt(2 * mpmath.log(1 / d))
            size = (1 + a) / e if e <= 2 * (1 + a) else (a + mpmath.sqrt(a**2 + 2 * e)) / (2 * e)
            mu = bound(gap, rows) / (mpmath.sqrt(rows) * size / (gap - 2))
            noise = mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
            values.append((p, d - d / 2 - noise))
        bind(statement, values)
    bind_expression(statement, repaired_margin)
    for p in REPAIRED:
        assert statement.at(p) is Truth.TRUE
        for change in (1, 2):
            cost = LaplaceProfile(change, 2 / Fraction(p.epsilon)).pure_epsilon()
            assert cost <= arb(rational(p.epsilon)) * (1 + arb(2) ** -50), "(4)"
    inside = RelatedGap(1, SMALL, 3, Adjacency.ADD_REMOVE_ONE)
    bind_hypotheses(statement, inside, outside(inside, GUARANTEE | {"gap > 2": {"gap": 2}}))


@subspace_privacy.controls(
    "+repair",
    grade="interval",
    region="gap 1e6: a third of the deviation at epsilon = 1; f = 1 for a row replaced; Delta at epsilon = 90",
)
def test_less_noise_for_the_projector_fails(statement) -> None:
    """At large gaps the projector moves by s/(sqrt(2) gap): for s = 1 a third of the deviation is too little, for s = 2
    it is where the factor sqrt(2) or the repaired deviation is left out.
    """  # noqa: D205

    def less(share, size) -> Callable[[RelatedGap], arb]:
        def margin(p: RelatedGap) -> arb:
            moved = projector_bound(arb(p.gap), 2 if p.adjacency is Adjacency.REPLACE_ONE else 1)
            noise = GaussianProfile(moved, size(p.epsilon, p.delta) / (p.gap - 2) * share)
            return arb(rational(p.delta)) / 2 - noise.delta(p.epsilon)

        return margin

    wide = RelatedGap(1, SMALL, 10**6, Adjacency.ADD_REMOVE_ONE)
    assert statement.at(wide) is Truth.TRUE
    assert statement.nudged(margin=less(arb(1) / 3, printed_deviation)).at(wide) is Truth.FALSE
    swapped = RelatedGap(1, Fraction(1, 10**9), 10**6, Adjacency.REPLACE_ONE)
    assert statement.at(swapped) is Truth.TRUE
    assert statement.nudged(margin=less(arb(1), printed_deviation)).at(swapped) is Truth.FALSE
    large = RelatedGap(90, Fraction(1, 2), 10**6, Adjacency.REPLACE_ONE)
    assert statement.at(large) is Truth.TRUE
    assert statement.nudged(margin=less(arb(2).sqrt(), printed_deviation)).at(large) is Truth.FALSE


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


def bound(gap: mpmath.mpf, rows: int) -> mpmath.mpf:
    return mpmath.sqrt(2) * mpmath.sin(mpmath.asin(rows / gap) / 2)


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
    positive, the projector is continuous, and sin(2 t_i) <= x < 1: all t_i < 45 degrees. Then
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
    bind_numbers(limit, CHANGES, lambda x: bound(x.gap, 2 if x.replaced else 1) - x.distance)
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

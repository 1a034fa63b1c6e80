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
from dpmatrix.privacy.profiles import GaussianProfile, LaplaceProfile
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import printed_deviation
from dpmatrix.spec.analyze_gauss.neighbouring_subspaces import ChangedMoment, projector_bound
from dpmatrix.spec.analyze_gauss.subspace_privacy import GapSettings, normal_tail, offset, wrong_vector_probability
from dpmatrix.tracing import bind_expression
from proofs_checks.exact_matrices import diagonal
from proofs_checks.gaussian_profiles import divergence
from proofs_checks.projector_algebra import P, Q, reduced
from proofs_checks.quadrature import integrated

subspace_privacy = cite("analyze-gauss.subspace-privacy@b0f6bb8f")

DRAWS = random.Random(20140603)
NAME = "analyze-gauss.subspace-privacy"
SMALL = Fraction(1, 10**6)


LEAK = GapSettings(1, SMALL, Fraction(1, 10))
LEAKS = [
    GapSettings(epsilon, delta, Fraction(tenths, 10))
    for epsilon, delta, tenths in product((Fraction(1, 2), 2), (Fraction(1, 1000), SMALL), (1, 3, 5, 7, 9))
]
GUARANTEE = {
    "epsilon > 0": attrs.evolve(LEAK, epsilon=0),
    "delta > 0": attrs.evolve(LEAK, delta=0),
    "delta < 1": attrs.evolve(LEAK, delta=1),
}


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
    bind_hypotheses(
        statement,
        LEAK,
        GUARANTEE | {"gap > 0": attrs.evolve(LEAK, gap=0), "gap < 1": attrs.evolve(LEAK, gap=1)},
    )


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
    GapSettings(epsilon, delta, gap)
    for epsilon, delta, gap in product(
        (Fraction(1, 10), 1, 5), (Fraction(1, 1000), SMALL), (Fraction(21, 10), 3, 8, 90)
    )
]
LIMIT = "epsilon <= 2 (1 + sqrt(2 log(1/delta)))"


@subspace_privacy.supports_repair(
    grade="derived",
    region="every gap, epsilon and delta under the hypotheses, both relations, by the docstring; 24 points",
)
def test_repaired_recovery_keeps_its_guarantee(statement) -> None:
    """Let g be the gap of the data and L = log(1/delta). Write B for Lap(2/epsilon) > 2L/epsilon, of probability
    delta/2 (1). Outside B the noisy gap is at most g + 2L/epsilon, so a release needs g > 2, and its deviation is at
    least f Delta / (g - 2), f = 1 or 2. The projector moves by at most f s(g) <= f/(g - 2) (steps projector-bound and
    projector-added), that is at most a (1/Delta)-th of the deviation, and Algorithm 1's repair gives the delta of the
    noise as at most delta/2 (2). The noisy gap itself costs f epsilon/2 <= epsilon (3). So for every set S of outcomes
    Pr(S) <= Pr(B) + integral over gaps outside B of p(gap) (e^epsilon Pr'(S | gap) + delta/2), which is at most
    delta/2 + e^(2 epsilon) Pr'(S) + delta/2. Where g <= 2, a release happens in B only.
    """  # noqa: D205
    epsilon, delta, h = sympy.symbols("epsilon delta h", positive=True)
    logarithm = sympy.log(1 / delta)
    assert sympy.simplify(sympy.exp(-(2 * logarithm / epsilon) * epsilon / 2) / 2 - delta / 2) == 0, "(1)"
    slack = (h / (h - 1) - (1 / sympy.sqrt(2) + sympy.sqrt(2) / h)) * h * (h - 1)
    root = sympy.sqrt(1 - 1 / sympy.sqrt(2)) * h - sympy.sqrt(sympy.sqrt(2))
    rest = sympy.expand(slack - root**2)
    linear = sympy.simplify(rest / h)
    assert linear.is_positive, "(2): 1/(h - 1) - s >= 0, a square plus a positive multiple of h"
    assert sympy.simplify(linear - linear.subs(h, 1)) == 0
    with mpmath.workdps(80):
        values = []
        for p in REPAIRED:
            e, d, gap = map(real, (p.epsilon, p.delta, p.gap))
            height = gap - 1
            bound = (1 / mpmath.sqrt(2) + mpmath.sqrt(2) / height) / height
            deviation = (1 + mpmath.sqrt(2 * mpmath.log(1 / d))) / e / (gap - 2)
            mu = bound / deviation
            noise = mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
            values.append((p, d - d / 2 - noise))
        bind(statement, values)
    moved = (1 / sympy.sqrt(2) + sympy.sqrt(2) / h) / h
    scale = (1 + sympy.sqrt(2 * logarithm)) / epsilon / (h - 1)
    formula = delta / 2 - divergence(epsilon, moved / scale)
    bind_expression(statement, formula.subs(h, sympy.Symbol("gap", positive=True) - 1))
    for p in REPAIRED:
        assert statement.at(p) is Truth.TRUE
        for change in (1, 2):
            cost = LaplaceProfile(change, 2 / Fraction(p.epsilon)).pure_epsilon()
            assert cost <= arb(rational(p.epsilon)) * (1 + arb(2) ** -50), "(3)"
    inside = GapSettings(1, SMALL, 3)
    outside = {says: attrs.evolve(p, gap=3) for says, p in GUARANTEE.items()}
    bind_hypotheses(
        statement,
        inside,
        outside | {LIMIT: attrs.evolve(inside, epsilon=13), "gap > 2": attrs.evolve(inside, gap=2)},
    )


@subspace_privacy.controls(
    "+repair", grade="interval", region="gap 1e6: a third of the deviation at epsilon = 1; epsilon = 90, delta = 1/2"
)
def test_less_noise_for_the_projector_fails(statement) -> None:
    """At large gaps the projector moves by 1/(sqrt(2) gap), so a third of the deviation is too little."""

    def third(p: GapSettings) -> arb:
        deviation = printed_deviation(p.epsilon, p.delta) / (3 * (p.gap - 2))
        return arb(rational(p.delta)) / 2 - GaussianProfile(projector_bound(arb(p.gap)), deviation).delta(p.epsilon)

    wide = GapSettings(1, SMALL, 10**6)
    assert statement.at(wide) is Truth.TRUE
    assert statement.nudged(margin=third).at(wide) is Truth.FALSE
    assert statement.without(LIMIT).at(GapSettings(90, Fraction(1, 2), 10**6)) is Truth.FALSE


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


def bound(gap: mpmath.mpf) -> mpmath.mpf:
    return (1 / mpmath.sqrt(2) + mpmath.sqrt(2) / (gap - 1)) / (gap - 1)


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
    region="every n, k, gap > 2 and rows, by the docstring's derivation; its algebra machine-checked, and 21 points",
)
@subspace_privacy.supports(
    "projector-added",
    grade="derived",
    region="every n, k, gap > 2 and row, from projector-bound; the scalar inequality machine-checked",
)
def test_one_row_moves_the_projector_little(statements) -> None:
    """Let N = M + aa', P and R the top projectors of M and N, Q = I - P, h > 0 the gap of M, X = QR.

    (1) X (RNR) - (QMQ) X = Q aa' R, since RN = NR and QM = MQ. In eigenbases of N and M its entries are those of X
    times lambda_i(N) - lambda_j(M) with i <= k < j, at least lambda_k(M) - lambda_{k+1}(M) = h; |X|_F <= |Qa| |Ra|/h.
    (2) |Ra| <= |Pa| + ||R - P||, and ||R - P|| = ||X|| <= 1/h by (1). (3) |Qa| |Pa| <= 1/2, as the squares sum to 1 at
    most. So |X|_F <= (1/2 + 1/h)/h, and |R - P|_F = sqrt(2) |X|_F (4). The bound falls as h grows. Between neighbours
    M is the smaller of the two matrices; its gap is at least that of the data less 1. A replaced row is a step down to
    the M without it and a step up: twice the bound. (5) With h = gap - 1 > 1 the bound is at most 1/(h - 1).
    """
    M, A, R = sympy.symbols("M A R", commutative=False)
    first = (Q * (R * (M + A) * R)).expand().subs(R * A * R, A * R + M * R - R * M * R)
    second = Q * M * R
    assert sympy.expand(first - second - Q * A * R) == 0, "(1): R(M + A)R = (M + A)R and QMQ = QM"
    u, v = sympy.symbols("u v", real=True)
    assert sympy.expand(u**2 + v**2 - 2 * u * v - (u - v) ** 2) == 0, "(3)"
    assert reduced((P - Q) ** 2 - (P + Q - P * Q - Q * P)) == 0, "(4): |P - R|^2 = 2k - 2 tr(PR) = 2 |(I - P)R|^2"
    h = sympy.Symbol("h", positive=True)
    size = (1 / sympy.sqrt(2) + sympy.sqrt(2) / h) / h
    assert sympy.simplify(sympy.sqrt(2) * (sympy.Rational(1, 2) + 1 / h) / h - size) == 0
    assert sympy.simplify(sympy.diff(size, h) * h**3 + h / sympy.sqrt(2) + 2 * sympy.sqrt(2)) == 0, "falls"
    slack = sympy.expand(h**2 - (h - 1) * (h / sympy.sqrt(2) + sympy.sqrt(2)))
    assert sympy.Poly(slack, h).discriminant().is_negative, "(5): no real root, positive at h = 1"
    assert slack.subs(h, 1) == 1
    limit, printed = statements[f"{NAME}/projector-bound"], statements[f"{NAME}/projector-added"]
    bind_numbers(limit, CHANGES, lambda x: (2 if x.replaced else 1) * bound(x.gap) - x.distance)
    bind_numbers(printed, SINGLES + FILL, lambda x: 1 / (x.gap - 2) - x.distance)
    assert all(limit.at(p) is Truth.TRUE for p in CHANGES)
    assert all(printed.at(p) is Truth.TRUE for p in SINGLES + FILL)
    bind_hypotheses(limit, INSIDE, ROWS | NARROW)
    bind_hypotheses(printed, INSIDE, ROWS | NARROW | BOTH)
    wider = attrs.evolve(INSIDE, moment=diagonal([Fraction(31, 10), 1]))
    assert printed.applies(wider) is Truth.TRUE, "a gap of 2.1"

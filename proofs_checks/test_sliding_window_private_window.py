"""Theorem 4 and Corollary 2 of `sliding-window`: no private algorithm meets them; what one noisy sum achieves."""

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
from dpmatrix.spec.sliding_window.cuts import NeighbouringCuts, PrivateCuts
from dpmatrix.spec.sliding_window.dyadic_release import WindowCover, cover_margin, sums_with
from dpmatrix.spec.sliding_window.private_window import NeighbouringWindows, PrivateMoment
from dpmatrix.spec.sliding_window.sketch_privacy import SketchParameters
from proofs_checks.dyadic_noise import (
    WINDOW_OUTSIDE,
    blocks,
    check_bound,
    check_promise,
    fourth_and_mixed,
    least_bound,
    released,
)

theorem_4 = cite("sliding-window.theorem-4@90f1665c")
corollary_2 = cite("sliding-window.corollary-2@71876135")


HALF, MILLIONTH = Fraction(1, 2), Fraction(1, 10**6)


TOLD = NeighbouringWindows(1, Fraction(1, 20), 1, MILLIONTH, 1)
TOLD_OUTSIDE = {
    "rank >= 1, an integer": attrs.evolve(TOLD, rank=0),
    "eta > 0": attrs.evolve(TOLD, eta=0),
    "eta < 1": attrs.evolve(TOLD, eta=1),
    "epsilon > 0": attrs.evolve(TOLD, epsilon=0),
    "delta > 0": attrs.evolve(TOLD, delta=0),
    "delta < 1": attrs.evolve(TOLD, delta=1),
    "constant > 0": attrs.evolve(TOLD, constant=0),
    "failure >= 0": attrs.evolve(TOLD, failure=-1),
}


@theorem_4.refutes(
    grade="derived",
    region="eps = 1, delta = 10^-6: c = 1, 100, 10^6, every c by eta below 1/(1 + 17.3 c); beta up to 1/4; "
    "every algorithm",
)
def test_no_private_algorithm_meets_theorem_4(statement) -> None:
    """Where no C is right for both rows, "C is right for 0" has probability >= 1 - beta for 0 and <= beta for 1."""
    for constant in (1, 100, 10**6):
        for failure in (0, Fraction(1, 4)):
            point = attrs.evolve(TOLD, constant=constant, eta=Fraction(1, 20 * constant), failure=failure)
            assert statement.at(point) is Truth.FALSE
    assert statement.at(attrs.evolve(TOLD, eta=Fraction(1, 18))) is Truth.TRUE, "4.8 % against 5.47 %"
    assert statement.at(attrs.evolve(TOLD, eta=Fraction(1, 19))) is Truth.FALSE
    assert statement.at(attrs.evolve(TOLD, failure=Fraction(27, 100))) is Truth.TRUE, "1/(1 + e) = 0.2689"
    assert statement.at(attrs.evolve(TOLD, failure=Fraction(26, 100))) is Truth.FALSE
    values = []
    with mpmath.workdps(60):
        for rank, eta, epsilon, failure in product((1, 3), (Fraction(1, 9), HALF), (HALF, 9), (0, Fraction(2, 5))):
            for constant in (Fraction(1, 50), 2):
                p = NeighbouringWindows(rank, eta, epsilon, Fraction(1, 7), constant, failure)
                e, c, beta = real(eta), real(constant), real(failure)
                extra = c * e * rank * mpmath.log(7) / real(epsilon) ** 2
                same = mpmath.exp(real(epsilon)) * beta + mpmath.mpf(1) / 7 - 1 + beta
                values.append((p, max(extra - (1 - e) + extra / 4, same)))
        bind(statement, values)
    assert not statement.strict
    bind_hypotheses(statement, TOLD, TOLD_OUTSIDE)
    assert TOLD.failure == 0, "the theorem's bounds always hold"


@theorem_4.refutes("private", grade="interval", region="r = 1, eta = 1/1000, eps = 1, delta = 10^-6, M = 77")
def test_c_is_no_more_private_than_the_sketch(statement) -> None:
    """At d = 1 the sketch is sqrt(s) times m standard normal variates: |A~|^2 has the likelihood ratio of A~ itself.

    log p_s(x) - log p_s'(x) = (m/2) log(s'/s) + (1/s' - 1/s) |x|^2/2 depends on x through |x|^2 = C + sigma^2 alone.
    """
    s, t, m, x = sympy.symbols("s t m x", positive=True)
    normal = [-m / 2 * sympy.log(2 * sympy.pi * v) - x / (2 * v) for v in (s, t)]
    ratio = sympy.expand_log(normal[0] - normal[1], force=True)
    assert sympy.simplify(ratio - (m / 2 * (sympy.log(t) - sympy.log(s)) + (1 / t - 1 / s) * x / 2)) == 0
    broken = SketchParameters(1, Fraction(1, 1000), 1, MILLIONTH, 77)
    assert statement.at(broken) is Truth.FALSE
    assert 0.016 < float(-statement.margin(broken)) < 0.018
    assert statement.at(attrs.evolve(broken, eta=HALF)) is Truth.TRUE
    assert not statement.strict


CUT = NeighbouringCuts(2, Fraction(1, 2500), 1, MILLIONTH, 1, 50, Fraction(7, 10))
CUT_OUTSIDE = {
    "vertices >= 2, an integer": attrs.evolve(CUT, vertices=1),
    "eta > 0": attrs.evolve(CUT, eta=0),
    "eta < 1": attrs.evolve(CUT, eta=1),
    "epsilon > 0": attrs.evolve(CUT, epsilon=0),
    "delta > 0": attrs.evolve(CUT, delta=0),
    "delta < 1": attrs.evolve(CUT, delta=1),
    "constant > 0": attrs.evolve(CUT, constant=0),
    "length >= 0": attrs.evolve(CUT, length=-1),
    "change >= 0": attrs.evolve(CUT, change=Fraction(-1, 10)),
    "y sqrt(2) <= 1": attrs.evolve(CUT, change=Fraction(71, 100)),
    "failure >= 0": attrs.evolve(CUT, failure=-1),
}


@corollary_2.refutes(
    grade="derived",
    region="n = 2, eps = 1, delta = 10^-6: c = 1, 100, 10^6, every c >= 1 by x = 50 c, eta = 1/x^2; beta up to 1/4; "
    "every algorithm",
)
def test_no_private_algorithm_answers_cuts_so_well(statement) -> None:
    for constant in (1, 100, 10**6):
        for failure in (0, Fraction(1, 4)):
            length = 50 * constant
            point = attrs.evolve(CUT, constant=constant, length=length, eta=Fraction(1, length**2), failure=failure)
            assert statement.at(point) is Truth.FALSE
    assert statement.at(attrs.evolve(CUT, length=48, eta=Fraction(1, 48**2))) is Truth.TRUE
    assert statement.at(attrs.evolve(CUT, failure=Fraction(27, 100))) is Truth.TRUE
    assert statement.at(attrs.evolve(CUT, change=HALF)) is Truth.TRUE
    values = []
    with mpmath.workdps(60):
        for n, epsilon, length, change in product((2, 9), (HALF, 3), (0, 12), (Fraction(1, 5), HALF)):
            for failure in (0, Fraction(1, 3)):
                p = NeighbouringCuts(n, Fraction(1, 7), epsilon, Fraction(1, 9), HALF, length, change, failure)
                tau = n + 14 * mpmath.log(36) / real(epsilon) ** 2
                extra = mpmath.sqrt(tau * mpmath.log(tau)) / real(epsilon) / 2
                most = mpmath.mpf(length**2) * 7 / 6 + extra
                least = (length + real(change)) ** 2 - extra
                same = mpmath.exp(real(epsilon)) * real(failure) + mpmath.mpf(1) / 9 - 1 + real(failure)
                values.append((p, max(most - least, same)))
        bind(statement, values)
    assert not statement.strict
    for inside in (CUT, attrs.evolve(CUT, length=0, change=0)):
        bind_hypotheses(statement, inside, CUT_OUTSIDE)
    assert CUT.failure == 0, "the corollary's bounds always hold"


def check_release() -> None:
    """Why the release is private, what its windows are, and how large their noise is.

    *Promise.* A row enters h + 1 sums, one of each length, and changes the triangle of each by at most |a|^2 <= 1; so
    all sums change by at most sqrt(h + 1) = mu s. For s as given mu = sqrt(z^2 + 2 eps) - z, so eps/mu - mu/2 = z, and
    delta(eps) <= Pr(N > z) <= exp(-z^2/2)/2 = delta/2: f = exp(-z^2/2)/2 - Pr(N > z) is 0 at 0 and at infinity and f'
    changes sign once, from + to -.

    *Cover.* A window of at most 2^h rows meets at most two blocks. In one block it is a prefix minus a prefix; in two
    it is the first block minus a prefix plus a prefix of the second. A proper prefix of a block has one sum for each
    binary digit 1 of its length, of which there are at most h, and a whole block is one sum: at most 2h + 1.

    *Noise.* u'Nu for one sum has variance s^2 (sum u_i^4 + 4 sum_{i<j} u_i^2 u_j^2) = s^2 (2 |u|^4 - sum u_i^4) <=
    2 s^2, and for q distinct independent sums at most 2 q s^2 (equal ones with opposite signs cancel). |N| <= 2 max
    |u'Nu| over a net of 9^d unit vectors, and Pr(|u'Nu| > zeta/2) <= 2 exp(-zeta^2/(16 q s^2)).
    """
    check_promise()
    u = sympy.symbols("u0:4", real=True)
    fourth, mixed = fourth_and_mixed(u)
    assert sympy.expand(fourth + 4 * mixed - 2 * sum(x**2 for x in u) ** 2 + fourth) == 0
    check_bound()
    assert sympy.Rational(1, 2) ** 2 / (2 * 2) == sympy.Rational(1, 16)
    for height in range(5):
        for begin in range(2 << height):
            assert sums_with(begin, height) == height + 1
            for end in range(begin + 1, begin + (1 << height) + 1):
                cover = WindowCover(begin, end, height)
                assert cover_margin(cover) == 2 * height + 1 - blocks(cover) >= 0


SPINS = (fmpq_mat([[1, 0], [0, 1]]), fmpq_mat([[fmpq(3, 5), fmpq(4, 5)], [fmpq(-4, 5), fmpq(3, 5)]]))


def moment(values, spectrum, frame=SPINS[1], **changes) -> PrivateMoment:
    """Window Q diag(values) Q' and noisy moment Q diag(spectrum) Q'."""
    order = len(values)
    frame = frame if order == 2 else fmpq_mat([[1]])
    middle = fmpq_mat(order, order, [rational(values[i]) if i == j else 0 for i in range(order) for j in range(order)])
    fields = {"leaf": 5, "height": 2, "epsilon": 10**4, "delta": HALF, "begin": 5, "end": 9, "beta": HALF, "bound": 1}
    fields |= changes
    return PrivateMoment(
        **fields, dimension=order, window=frame * middle * frame.transpose(), frame=frame, spectrum=tuple(spectrum)
    )


GOOD = moment((2, 0), (Fraction(19, 10), Fraction(-1, 10)))
GOOD = attrs.evolve(GOOD, bound=least_bound(GOOD))
ZETA = "zeta >= 4 s sqrt(q (d log 9 + log(2/beta)))"
SHAPES = "Q is orthogonal and A_W'A_W positive semidefinite, d x d"


def least_symmetric(gaps):
    """Least elementary symmetric polynomial of the eigenvalues of a difference, 1 among them."""
    return min(1, sum(gaps), mpmath.fprod(gaps))


def moment_by_hand(values, spectrum, p: PrivateMoment):
    """Compute the margin where window and noisy moment have the same eigenvectors."""
    parts = list(released(p))
    bound = real(p.bound)
    pairs = [(real(value), real(noisy)) for value, noisy in zip(values, spectrum, strict=True)]
    if all(abs(noisy - value) <= bound for value, noisy in pairs):
        kept = [max(noisy, mpmath.mpf(0)) for _, noisy in pairs]
        parts.append(least_symmetric([left - (value - bound) for left, (value, _) in zip(kept, pairs, strict=True)]))
        parts.append(least_symmetric([value + 2 * bound - left for left, (value, _) in zip(kept, pairs, strict=True)]))
        parts.append(least_symmetric(kept))
    return min(parts)


@theorem_4.supports_repair(
    grade="derived",
    region="every d, W, T, eps, delta, beta: derivation, each line checked; windows exactly up to 16 rows",
)
def test_the_noisy_moment_is_private_and_accurate(statement) -> None:
    """The release is as in `check_release`. Let C = A_W'A_W + N be the signed sum, and |N| <= zeta.

    C >= A_W'A_W - zeta >= -zeta, so every eigenvalue v of C has v >= -zeta and 0 <= max(v, 0) - v <= zeta: hence
    C <= C_+ <= C + zeta, that is A_W'A_W - zeta <= C_+ <= A_W'A_W + 2 zeta. C_+ is computed from released sums.
    """
    check_release()
    for v, zeta in product((Fraction(k, 4) for k in range(-8, 9)), (HALF, 1, 2)):
        if v >= -zeta:
            assert 0 <= max(v, 0) - v <= zeta
    values = []
    with mpmath.workdps(60):
        spectra = (
            ((2, 0), (Fraction(19, 10), Fraction(1, 10))),
            ((3,), (Fraction(16, 5),)),
            ((0,), (Fraction(-1, 9),)),
        )
        for (exact_values, noisy), epsilon, bound in product(spectra, (1, 10**4), (HALF, Fraction(1, 5), 60)):
            for begin, end, height, delta in ((5, 9, 2, Fraction(9, 10)), (1, 7, 3, HALF), (4, 5, 0, MILLIONTH)):
                p = moment(
                    exact_values,
                    noisy,
                    epsilon=epsilon,
                    bound=bound,
                    begin=begin,
                    end=end,
                    height=height,
                    delta=delta,
                    beta=Fraction(9, 10),
                )
                values.append((p, moment_by_hand(exact_values, noisy, p)))
        edge = (2 - GOOD.bound, 0)
        largest = attrs.evolve(moment((2, 0), edge), bound=GOOD.bound)
        assert moment_by_hand((2, 0), edge, largest) == 0 < min(released(largest))
        bind(statement, [*values, (largest, 0)])
    tilted = fmpq_mat([[2, 1], [1, 1]])
    for frame, spectrum in product(SPINS, ((2, 1), (3, Fraction(1, 3)), (3, Fraction(-1, 10)))):
        p = attrs.evolve(GOOD, window=tilted, frame=frame, spectrum=spectrum, bound=3)
        assert statement.at(p) is Truth.TRUE, "window and noise do not commute"
    assert statement.at(GOOD) is Truth.TRUE
    assert not statement.strict
    outside = {says: attrs.evolve(GOOD, **change) for says, change in WINDOW_OUTSIDE.items()}
    outside |= {
        ZETA: attrs.evolve(GOOD, bound=GOOD.bound - Fraction(1, 10**5)),
        SHAPES: attrs.evolve(GOOD, frame=fmpq_mat([[1, 1], [0, 1]])),
    }
    nine_rows = {"the window has at most 2^h rows": attrs.evolve(GOOD, height=3, end=14)}
    for inside in (GOOD, attrs.evolve(GOOD, leaf=0, begin=0, end=4), attrs.evolve(GOOD, height=0, end=6)):
        bind_hypotheses(statement, inside, outside)
        bind_hypotheses(statement, inside, outside | nine_rows)
    for wrong in (
        {"window": fmpq_mat([[1, 0], [0, -1]])},
        {"window": fmpq_mat([[1]])},
        {"spectrum": (1,)},
        {"frame": fmpq_mat([[1]])},
    ):
        assert statement.applies(attrs.evolve(GOOD, **wrong)) is Truth.FALSE


@theorem_4.controls("+repair", grade="interval", region="zeta a quarter smaller")
def test_a_smaller_bound_on_the_noise_is_noticed(statement) -> None:
    assert statement.at(GOOD) is Truth.TRUE
    small = attrs.evolve(GOOD, bound=GOOD.bound * 3 / 4)
    assert statement.applies(small) is Truth.FALSE
    assert statement.without(ZETA).at(small) is Truth.FALSE
    assert statement.nudged(lambda margin: margin - 1).at(GOOD) is Truth.FALSE


def cuts(edges, subset, noise, order=3, **changes) -> PrivateCuts:
    fields = {"leaf": 5, "height": 2, "epsilon": 10**4, "delta": HALF, "begin": 5, "end": 9, "beta": HALF, "bound": 1}
    fields |= changes
    matrix = fmpq_mat(order, order, [rational(entry) for entry in noise])
    return PrivateCuts(**fields, dimension=order, edges=tuple(edges), subset=tuple(subset), noise=matrix)


EDGES = ((1, 2, 1), (2, 3, HALF), (1, 2, Fraction(1, 3)))
NOISE = (Fraction(1, 9), 0, Fraction(1, 8), 0, Fraction(-1, 7), 0, Fraction(1, 8), 0, Fraction(1, 6))
SAFE = cuts(EDGES, (2,), NOISE)
SAFE = attrs.evolve(SAFE, bound=least_bound(SAFE))
EDGES_SAY = "edges of weight at most 1, one a row; symmetric noise"


@corollary_2.supports_repair(
    grade="derived",
    region="every graph, S, n, W, T, eps, delta, beta: derivation, each line checked; cuts of a path and a triangle",
)
def test_cuts_from_the_noisy_moment(statement) -> None:
    """An edge of weight w <= 1 is the row a = sqrt(w/2)(e_u - e_v) of the release, of norm sqrt(w) <= 1.

    C is twice the noisy signed sum, A_W'A_W + 2N, and e_S'C e_S = Phi_S + 2 e_S'N e_S by the step `cut`; |e_S'N e_S| <=
    zeta |e_S|^2 = zeta |S| for every S at once where |N| <= zeta. The release is as in `check_release`.
    """
    check_release()
    w = sympy.symbols("w", positive=True)
    row = sympy.sqrt(w / 2) * sympy.Matrix([1, -1, 0])
    assert sympy.simplify(row.dot(row) - w) == 0
    values = []
    zero = (0,) * 9
    with mpmath.workdps(60):
        for bound, epsilon, noise, subset in product(
            (Fraction(1, 10), Fraction(1, 4), 90), (1, 10**4), (zero, NOISE), ((1,), (2,), (1, 3), (1, 2, 3))
        ):
            p = cuts(EDGES, subset, noise, epsilon=epsilon, bound=bound, delta=Fraction(9, 10), beta=Fraction(9, 10))
            slack = min(released(p))
            form = sum(2 * real(noise[3 * (i - 1) + j - 1]) for i in subset for j in subset)
            most = mpmath.mpf(0) if noise is zero else norm_of_noise()
            if most <= real(bound):
                slack = min(slack, 2 * len(subset) * real(bound) - abs(form))
            values.append((p, slack))
        largest = attrs.evolve(SAFE, noise=fmpq_mat(3, 3, [0, 0, 0, 0, rational(SAFE.bound), 0, 0, 0, 0]))
        assert min(released(largest)) > 0
        bind(statement, [*values, (largest, 0)])
    for subset in ((1,), (2,), (3,), (1, 2), (1, 3), (2, 3), (1, 2, 3)):
        assert statement.at(attrs.evolve(SAFE, subset=subset)) is Truth.TRUE
        triangle = ((1, 2, 1), (2, 3, 1), (1, 3, 1))
        assert statement.at(attrs.evolve(SAFE, subset=subset, edges=triangle)) is Truth.TRUE
    assert not statement.strict
    outside = {says: attrs.evolve(SAFE, **change) for says, change in WINDOW_OUTSIDE.items()}
    outside |= {
        ZETA: attrs.evolve(SAFE, bound=SAFE.bound - Fraction(1, 10**5)),
        EDGES_SAY: attrs.evolve(SAFE, edges=((1, 2, Fraction(11, 10)),)),
    }
    for inside in (SAFE, attrs.evolve(SAFE, leaf=0, begin=0, end=4, edges=(*EDGES, (1, 3, 1)))):
        bind_hypotheses(statement, inside, outside)
    for wrong in (
        {"edges": ((1, 1, 1),)},
        {"edges": ((1, 2, 0),)},
        {"edges": ((1, 4, 1),)},
        {"edges": ((0, 1, 1),)},
        {"edges": (*EDGES, *EDGES)},
        {"subset": ()},
        {"subset": (4,)},
        {"subset": (1, 1)},
        {"noise": fmpq_mat(3, 3, [0, 1, 0, 0, 0, 0, 0, 0, 0])},
        {"noise": fmpq_mat([[1]])},
    ):
        assert statement.applies(attrs.evolve(SAFE, **wrong)) is Truth.FALSE


def norm_of_noise():
    """Largest absolute eigenvalue of NOISE: of its block on 1 and 3, or the entry 1/7 by itself."""
    a, b, c = (real(value) for value in (Fraction(1, 9), Fraction(1, 8), Fraction(1, 6)))
    return max((a + c) / 2 + mpmath.sqrt(((a - c) / 2) ** 2 + b**2), mpmath.mpf(1) / 7)


@corollary_2.controls("+repair", grade="interval", region="zeta a quarter smaller")
def test_a_smaller_error_of_cuts_is_noticed(statement) -> None:
    assert statement.at(SAFE) is Truth.TRUE
    small = attrs.evolve(SAFE, bound=SAFE.bound * 3 / 4)
    assert statement.applies(small) is Truth.FALSE
    assert statement.without(ZETA).at(small) is Truth.FALSE
    assert statement.nudged(lambda margin: margin - 1).at(SAFE) is Truth.FALSE

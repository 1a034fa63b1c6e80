"""What becomes of Theorem 16 of `sliding-window`: the best projection for a private window."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import symbolic_matrix
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window.private_choice import BestChoice
from proofs_checks.exact_matrices import line
from proofs_checks.sliding_window.dyadic_noise import (
    WINDOW_OUTSIDE,
    ZETA,
    check_release,
    far_slack,
    half_the_noise,
    least_bound,
    window_of_one,
)
from proofs_checks.sliding_window.misled_choices import E_1, NO_PROJECTION

theorem_16 = cite("sliding-window.theorem-16@7afe6d06")

HALF = Fraction(1, 2)
MILLIONTH = Fraction(1, 10**6)
SHAPES = "A_W'A_W and C~ are symmetric, d x d"


def choice(window, published, chosen, other, **changes) -> BestChoice:
    """Rows 5 to 8 of a stream with blocks of four rows: one sum subtracted, two added."""
    fields = {"leaf": 5, "height": 2, "epsilon": 10**4, "delta": HALF, "begin": 5, "end": 9, "beta": HALF, "bound": 1}
    fields |= changes
    return BestChoice(
        **fields, dimension=window.nrows(), window=window, published=published, chosen=chosen, other=other
    )


GOOD = choice(diagonal((9, 4)), fmpq_mat([[9, fmpq(1, 7)], [fmpq(1, 7), 4]]), line(1, 0), line(1, 2))
GOOD = attrs.evolve(GOOD, bound=least_bound(GOOD))
NOISE = rational(GOOD.bound)
TIGHT = attrs.evolve(
    GOOD,
    window=diagonal((1 + 2 * NOISE, 1)),
    published=diagonal((1 + NOISE, 1 + NOISE)),
    chosen=line(0, 1),
    other=line(1, 0),
)


def by_hand(p: BestChoice):
    """Compute the margin for noise with the eigenvalues of a diagonal or of a 2 x 2 matrix."""
    window, noise = symbolic_matrix(p.window), symbolic_matrix(p.published - p.window)
    if noise.is_diagonal():
        norm = max(abs(entry) for entry in noise.diagonal())
    else:
        norm = abs(noise.trace()) / 2 + sympy.sqrt(noise.trace() ** 2 / 4 - noise.det())
    slack, bound = min(window_of_one(p)) if p.dimension == 1 else far_slack(p), sympy.Rational(str(p.bound))
    if norm > bound:
        return slack
    chosen, other = symbolic_matrix(p.chosen), symbolic_matrix(p.other)
    kept = [window.trace() - (each * window).trace() for each in (chosen, other)]
    cost = kept[1] - kept[0] + 2 * min(p.chosen.rank(), p.dimension - p.chosen.rank()) * bound
    return min(slack, mpmath.mpf(str(sympy.N(cost, 50))))


def points():
    """Choices of rank 1 in the plane and of rank 1 and 2 in space, with noise below and above zeta; and numbers."""
    window = fmpq_mat([[6, 1], [1, 2]])
    for (p, q), (s, t), noise, bound in product(
        ((1, 0), (1, 3)), ((1, -2), (0, 1)), ((fmpq(1, 5), fmpq(-1, 6), fmpq(1, 7)), (3, 0, 3)), (1, 2)
    ):
        published = window + fmpq_mat([[noise[0], noise[1]], [noise[1], noise[2]]])
        yield choice(window, published, line(p, q), line(s, t), bound=bound)
    moments, noisy = diagonal((9, 3, 1)), diagonal((9, fmpq(7, 2), 1))
    for k, bound, epsilon in product((1, 2), (1, Fraction(5, 4)), (10**4, 10**5)):
        chosen, other = diagonal((0, int(k > 1), 1)), diagonal((1, int(k > 1), 0))
        yield choice(moments, noisy, chosen, other, bound=bound, epsilon=epsilon, beta=Fraction(1, 3))
    one, unit = fmpq_mat([[4]]), fmpq_mat([[1]])
    for bound, epsilon in product((Fraction(1, 50), Fraction(1, 40), 9), (1, 100)):
        yield choice(one, one, unit, unit, bound=bound, epsilon=epsilon)
        loud = one + fmpq_mat([[rational(bound) + fmpq(1, 100)]])  # just above zeta, so that the cost does not count
        yield choice(one, loud, unit, unit, bound=bound, epsilon=epsilon)


@theorem_16.supports_repair(
    grade="derived", region="every d, k, W, T, eps, delta, beta: derivation below, each line checked"
)
def test_the_best_projection_of_the_private_window_is_cheap(statement) -> None:
    """The release is as in `check_release`; no projection enters its event, and lemma-9 does the rest of privacy.

    *Cost.* C~ = A'A + N with |N| <= zeta but for beta. Tr((1-X)A'A) - Tr((1-P)A'A) = Tr((P-X)A'A) = Tr((P-X)C~) -
    Tr((P-X)N), and the first is Tr((1-X)C~) - Tr((1-P)C~) <= 0. The second is at most |N| times the sum of the absolute
    eigenvalues of P - X. These lie in [-1, 1]. On the span of the eigenvectors to positive ones v'Pv > v'Xv, so that
    it meets neither the kernel of P nor the range of X, of dimensions d - k and k: there are at most min(k, d - k), and
    as many negative ones by exchanging P and X.
    """
    check_release()
    window, published, chosen, other = (
        sympy.Matrix(3, 3, lambda i, j, name=name: sympy.Symbol(f"{name}{min(i, j)}{max(i, j)}")) for name in "gcpx"
    )
    unit = sympy.eye(3)
    left = ((unit - chosen) * window).trace() - ((unit - other) * window).trace()
    seen = ((unit - chosen) * published).trace() - ((unit - other) * published).trace()
    assert sympy.expand(left - seen + ((other - chosen) * (published - window)).trace()) == 0
    t = sympy.symbols("t", real=True)
    turned = sympy.Matrix([[sympy.cos(t) ** 2, sympy.sin(t) * sympy.cos(t)], [0, sympy.sin(t) ** 2]])
    turned[1, 0] = turned[0, 1]
    apart = sympy.diag(1, 0) - turned
    assert sympy.simplify(apart * apart - sympy.sin(t) ** 2 * sympy.eye(2)) == sympy.zeros(2, 2)
    with mpmath.workdps(60):
        found = [(p, by_hand(p)) for p in points()]
        assert sum(value < 0 for _, value in found) >= 6, "points at which the cost or the probability decides"
        bind(statement, found)
        places = ((0, 0, 1, 0), (9, 2, 11, 8), (1, 3, 7, 1), (4, 0, 5, 4))
        for (leaf, height, end, begin), epsilon, delta in product(places, (1, 10**4), (Fraction(1, 7), MILLIONTH)):
            p = attrs.evolve(GOOD, leaf=leaf, height=height, end=end, begin=begin, epsilon=epsilon, delta=delta)
            assert statement.at(attrs.evolve(p, bound=least_bound(p))) is Truth.TRUE
    assert statement.at(GOOD) is Truth.TRUE
    assert statement.at(TIGHT) is Truth.TRUE, "equality"
    assert not statement.strict


RANK = "both are orthogonal projections of rank k"
OUTSIDE = WINDOW_OUTSIDE | {
    "the window is not empty": {"begin": 7, "end": 6},
    ZETA: {"bound": GOOD.bound - Fraction(1, 10**5)},
    SHAPES: {"published": fmpq_mat([[9, 1], [0, 4]])},
    RANK: {
        "window": diagonal((1, 1 + NOISE)),
        "published": diagonal((1 + NOISE, 1)),
        "chosen": NO_PROJECTION,
        "other": E_1,
    },
    "Tr((I - X~) C~) <= Tr((I - P) C~)": {"chosen": line(0, 1)},
}


@theorem_16.controls("+repair", grade="interval", region="half the noise; zeta a twentieth; half the error")
def test_less_noise_and_smaller_errors_are_noticed(statement) -> None:
    outside = {says: attrs.evolve(GOOD, **change) for says, change in OUTSIDE.items()}
    one, unit = fmpq_mat([[4]]), fmpq_mat([[1]])
    number = choice(one, one, unit, unit)
    for inside in (
        GOOD,
        attrs.evolve(GOOD, leaf=0, begin=0, end=4),
        TIGHT,
        attrs.evolve(number, bound=least_bound(number)),
    ):
        bind_hypotheses(statement, inside, outside)
    for says in (RANK, "the window is not empty"):
        assert statement.without(says).at(outside[says]) is Truth.FALSE
    for wrong in ({"chosen": diagonal((2, 0))}, {"other": diagonal((2, 0))}, {"other": identity(2)}, {"end": 5}):
        assert statement.applies(attrs.evolve(GOOD, **wrong)) is Truth.FALSE
    (shapes,) = (condition for condition in statement.given if condition.says == SHAPES)
    for wrong in ({"window": fmpq_mat([[9, 1], [0, 4]])}, {"window": identity(3)}, {"published": identity(1)}):
        assert shapes.at(attrs.evolve(GOOD, **wrong)) is Truth.FALSE
    assert statement.without(ZETA).at(attrs.evolve(GOOD, bound=GOOD.bound / 20)) is Truth.FALSE, "the probability"
    private = attrs.evolve(GOOD, delta=MILLIONTH)
    private = attrs.evolve(private, bound=least_bound(private))
    assert statement.at(private) is Truth.TRUE
    assert statement.nudged(margin=half_the_noise).at(private) is Truth.FALSE

    def half_the_error(p: BestChoice):
        return statement.formula(p) - arb(rational(p.bound))

    assert statement.nudged(margin=half_the_error).at(TIGHT) is Truth.FALSE

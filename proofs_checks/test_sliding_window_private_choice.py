"""Repairs of theorems 7 and 16 of `sliding-window`: a projection of a private window, its privacy and its cost."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import pytest
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.spec.sliding_window import dyadic_release, projection_costs
from dpmatrix.spec.sliding_window.dyadic_release import DyadicRelease, sums_with
from dpmatrix.spec.sliding_window.private_choice import PrivateChoice
from dpmatrix.spec.sliding_window.projection_costs import Choice
from dpmatrix.spec.wishart.spectra import diagonal, identity

MILLIONTH = Fraction(1, 10**6)
BEST, APPROXIMATE = "sliding-window.theorem-16+repair", "sliding-window.theorem-7+repair"
RELEASE = DyadicRelease(5, 3, 1, MILLIONTH)


def exact(value):
    number = Fraction(value)
    return mpmath.mpf(number.numerator) / number.denominator


def symbolic(value) -> sympy.Rational:
    number = fmpq(value)
    return sympy.Rational(int(number.p), int(number.q))


def line(*vector: int) -> fmpq_mat:
    """Projection of rank 1 onto a vector."""
    length = sum(x * x for x in vector)
    return fmpq_mat([[fmpq(a * b, length) for b in vector] for a in vector])


CHOICE = Choice(diagonal((9, 4)), fmpq_mat([[10, 1], [1, 5]]), line(1, 0), line(1, 2), fmpq(1, 4), 1, 2, 2)
TIGHT = Choice(diagonal((8, 4)), diagonal((7, 3)), line(1, 0), line(1, 0), 0, 1, 0)
SPREAD = Choice(diagonal((8, 4)), diagonal((18, 9)), line(1, 0), line(1, 0), fmpq(1, 2), 1, 2)
FLAT = Choice(diagonal((4, 1)), diagonal((4, 1)), diagonal((0, 1)), diagonal((1, 0)), 0, 0, 0, 2)


def with_choice(choice: Choice) -> PrivateChoice:
    return PrivateChoice(RELEASE, choice)


def profile_gap(p: DyadicRelease):
    """Delta minus the Gaussian profile of sqrt(h+1) over the deviation, which is sqrt(z^2 + 2 eps) - z."""
    far, e = mpmath.sqrt(-2 * mpmath.log(exact(p.delta))), exact(p.epsilon)
    mean = mpmath.sqrt(far**2 + 2 * e) - far
    return exact(p.delta) - (mpmath.ncdf(-far) - mpmath.exp(e) * mpmath.ncdf(-(e / mean + mean / 2)))


def points():
    """Choices of rank 1 in the plane and of rank 1 and 2 in space, with the slack of the cost for a gamma."""
    window, published = fmpq_mat([[6, 1], [1, 2]]), fmpq_mat([[4, 3], [3, -1]])
    moments = sympy.Matrix([[6, 1], [1, 2]])
    for (p, q), (s, t), number, (lower, upper), factor in product(
        ((1, 0), (1, 3)), ((1, -2), (0, 1)), (0, fmpq(1, 5)), ((1, 0), (fmpq(5, 2), -13), (-13, 1)), (1, 3)
    ):
        choice = Choice(window, published, line(p, q), line(s, t), number, lower, upper, factor)
        chosen, other = (
            8 - (sympy.Matrix([v]) * moments * sympy.Matrix(v))[0] / sympy.Integer(v[0] ** 2 + v[1] ** 2)
            for v in ((p, q), (s, t))
        )

        def slack(gamma, chosen=chosen, other=other, c=choice):
            a, b = symbolic(c.lower), symbolic(c.upper)
            return gamma**2 / (1 - symbolic(c.eta)) * other + a + gamma**2 * b - chosen

        yield choice, slack
    for k, factor in product((1, 2), (1, 3)):
        chosen, other = diagonal((1, int(k > 1), 0)), diagonal((0, int(k > 1), 1))
        choice = Choice(diagonal((5, 3, 1)), diagonal((5, 3, 1)), chosen, other, 0, 1, -2, factor)

        def slack(gamma, k=k):
            kept = 8 if k == 1 else 5
            return sympy.Integer(gamma**2 * kept + (3 - k) * (1 - 2 * gamma**2) - (kept - 4))

        yield choice, slack


@pytest.mark.evidence(
    "sliding-window.theorem-7+repair@695496a1",
    role="supports-repair",
    grade="symbolic",
    region="every d, k, gamma, h, epsilon, delta: both derivations below, each line checked",
)
@pytest.mark.evidence(
    "sliding-window.theorem-16+repair@5a4df1d4",
    role="supports-repair",
    grade="symbolic",
    region="every d, k, h, epsilon, delta: both derivations below, each line checked",
)
def test_projections_of_noisy_sums_are_private_and_cheap(statements) -> None:
    """Two derivations, one for each half of the statements.

    *Cost.* For a projection Q = 1 - P and X = B'B, Tr(QX) = |BQ|_F^2 >= 0. The margin is Tr((1-P)(C~ - A'A + a)) +
    gamma^2 Tr((1-X)(A'A/(1-eta) + b - C~)) + gamma^2 Tr((1-X)C~) - Tr((1-P)C~), with Tr(1-P) = Tr(1-X) = d - k, and
    each term is non-negative by hypothesis. C~ may have negative eigenvalues.

    *Privacy.* A row of norm at most 1 enters h + 1 sums and changes the triangle of each by at most 1, so the profile
    is that of mu = sqrt(h+1)/s = sqrt(z^2 + 2 eps) - z, for which eps/mu - mu/2 = z; the profile at eps is at most its
    first term, Pr(N > z) <= exp(-z^2/2)/2 = delta/2. For the tail, f = exp(-z^2/2)/2 - Pr(N > z) is 0 at 0 and at
    infinity, and f' = (1/sqrt(2 pi) - z/2) exp(-z^2/2) changes sign once, from + to -.
    """
    entries, u = sympy.Matrix(2, 3, sympy.symbols("b0:6")), sympy.Matrix(sympy.symbols("u0:3"))
    rest = sympy.eye(3) - u * u.T / (u.T * u)[0, 0]
    assert sympy.simplify((rest * entries.T * entries).trace() - ((entries * rest).T * (entries * rest)).trace()) == 0
    window, published, chosen, other = (
        sympy.Matrix(3, 3, lambda i, j, name=name: sympy.Symbol(f"{name}{min(i, j)}{max(i, j)}")) for name in "gcpx"
    )
    e, g, a, b = sympy.symbols("eta gamma a b")
    unit = sympy.eye(3)
    above = ((unit - other) * (window / (1 - e) + b * unit - published)).trace()
    below = ((unit - chosen) * (published - window + a * unit)).trace()
    ratio = g**2 * ((unit - other) * published).trace() - ((unit - chosen) * published).trace()
    margin = g**2 / (1 - e) * ((unit - other) * window).trace() - ((unit - chosen) * window).trace()
    margin += (unit - chosen).trace() * a + g**2 * (unit - other).trace() * b
    assert sympy.simplify(margin - below - g**2 * above - ratio) == 0

    z, root = sympy.symbols("z root", positive=True)  # root is sqrt(z^2 + 2 eps)
    assert sympy.simplify(((root**2 - z**2) / 2 / (root - z) - (root - z) / 2) - z) == 0
    assert sympy.simplify((root**2 - z**2) / (z + root) - (root - z)) == 0
    f = sympy.exp(-(z**2) / 2) / 2 - sympy.erfc(z / sympy.sqrt(2)) / 2
    assert sympy.simplify(sympy.diff(f, z) - (1 / sympy.sqrt(2 * sympy.pi) - z / 2) * sympy.exp(-(z**2) / 2)) == 0
    assert f.subs(z, 0) == 0
    assert sympy.limit(f, z, sympy.oo) == 0
    x, y, w = sympy.symbols("x y w", real=True)
    off = (x * y) ** 2 + (x * w) ** 2 + (y * w) ** 2
    assert sympy.expand((x**2 + y**2 + w**2) ** 2 - (x**4 + y**4 + w**4 + off) - off) == 0
    for height in range(5):
        assert {sums_with(leaf, height) for leaf in range(3 << height)} == {height + 1}

    releases = [
        DyadicRelease(leaf, height, epsilon, delta)
        for leaf, height, epsilon, delta in product((0, 9), (0, 2, 5), (Fraction(1, 4), 2), (Fraction(1, 7), MILLIONTH))
    ]
    with mpmath.workdps(60):
        private = [(PrivateChoice(release, CHOICE), profile_gap(release)) for release in releases]
        edge = profile_gap(RELEASE)
        for name, statement in statements.items():
            bind(statement, private)
            found = []
            for choice, slack in points():
                value = slack(1 if name == BEST else choice.gamma).evalf(50)
                found.append((with_choice(choice), min(mpmath.mpf(str(value)), edge)))
            assert sum(value < 0 for _, value in found) >= 10, "points at which the cost decides"
            bind(statement, found)
    for statement in statements.values():
        assert all(statement.at(point) is Truth.TRUE for point, _ in private)
        for choice in (TIGHT, SPREAD):
            assert statement.applies(with_choice(choice)) is Truth.TRUE
        assert not statement.strict
    assert statements[APPROXIMATE].applies(with_choice(FLAT)) is Truth.TRUE


COMMON = {
    "leaf >= 0, an integer": PrivateChoice(attrs.evolve(RELEASE, leaf=-1), CHOICE),
    "height >= 0, an integer": PrivateChoice(attrs.evolve(RELEASE, height=-1), CHOICE),
    "epsilon > 0": PrivateChoice(attrs.evolve(RELEASE, epsilon=0), CHOICE),
    "delta > 0": PrivateChoice(attrs.evolve(RELEASE, delta=0), CHOICE),
    "delta < 1": PrivateChoice(attrs.evolve(RELEASE, delta=1), CHOICE),
    "eta >= 0": with_choice(attrs.evolve(CHOICE, eta=-1)),
    "eta < 1": with_choice(attrs.evolve(CHOICE, eta=1)),
    "both are orthogonal projections of rank k": with_choice(attrs.evolve(CHOICE, other=identity(2))),
    "A_W'A_W and C~ are symmetric": with_choice(attrs.evolve(CHOICE, published=fmpq_mat([[10, 1], [0, 5]]))),
    "A_W'A_W - lower <= C~": with_choice(attrs.evolve(CHOICE, lower=-1)),
    "C~ <= A_W'A_W/(1 - eta) + upper": with_choice(attrs.evolve(CHOICE, upper=-3)),
}


@pytest.mark.evidence(
    "sliding-window.theorem-7+repair@695496a1",
    role="control",
    grade="symbolic",
    region="half the noise; gamma before the error",
)
@pytest.mark.evidence(
    "sliding-window.theorem-16+repair@5a4df1d4",
    role="control",
    grade="symbolic",
    region="half the noise; each error dropped",
)
def test_half_the_noise_and_dropped_errors_are_noticed(statements) -> None:
    """C~ prefers the wrong axis by exactly the two errors; with gamma the upper one counts gamma^2 times."""
    worse = {
        BEST: {"Tr((I - X~) C~) <= Tr((I - P) C~)": with_choice(attrs.evolve(CHOICE, chosen=line(0, 1)))},
        APPROXIMATE: {
            "gamma >= 1": with_choice(attrs.evolve(CHOICE, gamma=fmpq(19, 20))),
            "Tr((I - P) C~) <= gamma^2 Tr((I - X) C~)": with_choice(attrs.evolve(CHOICE, chosen=line(0, 1), gamma=1)),
        },
    }
    wrong = Choice(diagonal((10, 0)), diagonal((9, 9)), line(0, 1), line(1, 0), 0, 1, 9)
    for name, statement in statements.items():
        bind_hypotheses(statement, with_choice(CHOICE), COMMON | worse[name])
        assert statement.applies(with_choice(attrs.evolve(CHOICE, eta=fmpq(19, 20)))) is Truth.TRUE
        (below_one,) = (condition for condition in statement.given if condition.says == "eta < 1")
        assert below_one.at(with_choice(attrs.evolve(CHOICE, eta=1))) is Truth.FALSE
        assert statement.applies(PrivateChoice(DyadicRelease(0, 0, 1, MILLIONTH), TIGHT)) is Truth.TRUE
        assert statement.applies(with_choice(attrs.evolve(TIGHT, lower=fmpq(99, 100)))) is Truth.FALSE
        assert statement.applies(with_choice(attrs.evolve(SPREAD, upper=fmpq(199, 100)))) is Truth.FALSE
        assert statement.at(with_choice(wrong)) is Truth.TRUE

        def halved(p: PrivateChoice):
            return fmpq(1, 10**6) - GaussianProfile(2, dyadic_release.deviation(p.release) / 2).delta(p.release.epsilon)

        assert statement.nudged(margin=halved).at(with_choice(CHOICE)) is Truth.FALSE
        for gone in ("lower", "upper"):

            def margin(p: PrivateChoice, gone: str = gone):
                return projection_costs.choice_margin(attrs.evolve(p.choice, **{gone: 0}))

            assert statement.nudged(margin=margin).at(with_choice(wrong)) is Truth.FALSE
    statement = statements[APPROXIMATE]
    assert statement.applies(with_choice(attrs.evolve(FLAT, gamma=fmpq(199, 100)))) is Truth.FALSE
    lost = with_choice(Choice(diagonal((4, 0)), diagonal((4, 1)), diagonal((0, 1)), diagonal((1, 0)), 0, 0, 1, 2))

    def without(p: PrivateChoice):
        return projection_costs.choice_margin(p.choice) + (1 - p.choice.gamma**2) * p.choice.upper

    assert statement.nudged(margin=without).at(lost) is Truth.FALSE

"""K-norm noise of second moments: private as its norm is one, made of pairs of matrices, and its size for d = 2."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.beyond import k_norm
from dpmatrix.spec.beyond.k_norm import AnyPair, KNormPoint, Relation
from dpmatrix.spec.common.spectra import trace

privacy = cite("beyond.k-norm-privacy@c1ec3710")
sampler = cite("beyond.k-norm-sampler@66465219")

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
NOISES = (
    fmpq_mat([[3, 1], [1, -2]]),
    fmpq_mat([[fmpq(1, 2), 0], [0, fmpq(1, 7)]]),
    fmpq_mat([[-5, fmpq(-7, 2)], [fmpq(-7, 2), -9]]),
    fmpq_mat([[0, 4], [4, fmpq(1, 3)]]),
)
RECORDS = (
    (REPLACE, (Fraction(1, 2), Fraction(1, 3)), (Fraction(-4, 5), Fraction(3, 5))),
    (REPLACE, (Fraction(1, 3), 0), (Fraction(2, 7), Fraction(1, 5))),
    (ADD, (Fraction(1, 2), Fraction(-1, 3)), (0, 0)),
    (ADD, (0, 0), (Fraction(3, 5), Fraction(3, 5))),
)


def parts(matrix: fmpq_mat) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Add up the eigenvalues of either sign of a 2 x 2 matrix, by the formula for them."""
    a, b, c = (mpmath.mpf(int(entry.p)) / int(entry.q) for entry in (matrix[0, 0], matrix[0, 1], matrix[1, 1]))
    root = mpmath.sqrt((a - c) ** 2 + 4 * b**2)
    values = ((a + c + root) / 2, (a + c - root) / 2)
    return sum(max(value, 0) for value in values), sum(max(-value, 0) for value in values)


def norm(matrix: fmpq_mat, adjacency: Adjacency) -> mpmath.mpf:
    both = parts(matrix)
    return max(both) if adjacency is REPLACE else sum(both)


def points() -> Iterator[tuple[KNormPoint, str]]:
    """Yield points with d = 2, and the margin from the roots of a quadratic, with 50 digits."""
    with mpmath.workdps(60):
        for matrix, (adjacency, v, w), (records, epsilon) in product(
            NOISES, RECORDS, ((1, Fraction(1)), (4, Fraction(5, 3)))
        ):
            moved = fmpq_mat(2, 2)
            for i, j in product(range(2), repeat=2):
                change = rational(v[i]) * rational(v[j]) - rational(w[i]) * rational(w[j])
                moved[i, j] = matrix[i, j] - change / records
            margin = 1 - records * (norm(matrix, adjacency) - norm(moved, adjacency))
            value = margin * epsilon.numerator / epsilon.denominator
            yield KNormPoint(matrix, v, w, records, epsilon, adjacency), mpmath.nstr(value, 50)


POINT = next(point for point, _ in points())
OUTSIDE = {
    "records >= 1, an integer": attrs.evolve(POINT, records=0),
    "epsilon > 0": attrs.evolve(POINT, epsilon=0),
    "N is symmetric": attrs.evolve(POINT, noise=fmpq_mat([[1, 1], [0, 1]])),
    "|v| <= 1": attrs.evolve(POINT, v=(1, Fraction(1, 100))),
    "|w| <= 1": attrs.evolve(POINT, w=(Fraction(1, 100), 1)),
    "under add/remove-one, v or w is zero": attrs.evolve(POINT, adjacency=ADD),
}


@privacy.supports(
    grade="derived", region="every d, N, v, w, n, epsilon and relation, by the docstring; 32 points, d = 2"
)
def test_the_norm_of_a_change_is_at_most_one(statement) -> None:
    """For N with eigenvectors u_i, tr SN = sum lambda_i u_i'Su_i is at most the sum of the positive lambda_i for
    0 <= S <= I, and the projector on their eigenvectors attains it. So tr N_+, tr N_- and the nuclear norm, the largest
    tr SN over -I <= S <= I, are largest values of linear functions: |A + B| <= |A| + |B|, hence |N| - |N - M| <= |M|.

    M = (vv' - ww')/n <= vv'/n has tr SM <= v'Sv/n <= |v|^2/n, and likewise -M: the larger part has a trace of at most
    1/n. With w = 0 or v = 0 the other part is zero.
    """  # noqa: D205
    bind(statement, points())
    bind_hypotheses(statement, POINT, OUTSIDE)
    assert not statement.strict
    multiples = KNormPoint(fmpq_mat([[3, 0], [0, 0]]), (1, 0), (0, 0), 1, Fraction(1), ADD)
    assert statement.at(multiples) is Truth.TRUE, "met exactly: eigenvalues are rational"
    assert statement.margin(multiples) == 0


@privacy.controls(grade="interval", region="the norm 5 % larger; the larger part alone where a record is added; longer")
def test_other_norms_and_longer_records_lose_more(statement) -> None:
    tight = KNormPoint(fmpq_mat([[3, 0], [0, -3]]), (1, 0), (0, 1), 1, Fraction(1), REPLACE)
    assert statement.at(tight) is Truth.TRUE
    formula = k_norm.k_norm
    larger = redefined(statement, k_norm, "k_norm", lambda matrix, adjacency: formula(matrix, adjacency) * 21 / 20)
    assert larger.at(tight) is Truth.FALSE
    nuclear = redefined(statement, k_norm, "k_norm", lambda matrix, _adjacency: formula(matrix, ADD))
    assert nuclear.at(tight) is Truth.FALSE, "the nuclear norm, for a replaced record"
    above = attrs.evolve(tight, noise=fmpq_mat([[3, 0], [0, 0]]), v=(Fraction(11, 10), 0), w=(0, 0))
    assert statement.without("|v| <= 1").at(above) is Truth.FALSE
    below = attrs.evolve(tight, noise=fmpq_mat([[0, 0], [0, -3]]), v=(0, 0), w=(0, Fraction(11, 10)))
    assert statement.without("|w| <= 1").at(below) is Truth.FALSE
    both = attrs.evolve(tight, adjacency=ADD)
    assert statement.without("under add/remove-one, v or w is zero").at(both) is Truth.FALSE


PAIRS = [AnyPair(first, second) for first, second in product((*NOISES, fmpq_mat([[2, 1], [1, 2]])), repeat=2)]


@sampler.supports(grade="derived", region="every d, P and Q, by the docstring; 25 pairs, d = 2")
def test_exponents_of_pairs_split(statement) -> None:
    """With a = tr N_+ and b = tr N_-, tr N = a - b and |N|_* = a + b. So tr R = (tr P + tr Q - a - b)/2, and by
    tr P - tr Q = a - b tr P = tr R + a and tr Q = tr R + b (1).
    """  # noqa: D205
    p, a, b = sympy.symbols("p a b")
    q = p - (a - b)
    rest = (p + q - a - b) / 2
    assert sympy.expand(rest + a - p) == 0, "(1)"
    assert sympy.expand(rest + b - q) == 0, "(1)"
    bind(statement, ((pair, 0) for pair in PAIRS))
    bind_hypotheses(statement, PAIRS[1], {})
    assert not statement.strict


@sampler.controls(grade="interval", region="R = (P + Q)/2, and R = (P + Q)/2 - |P - Q|; one norm larger by 1")
def test_another_remainder_does_not_split(statement) -> None:
    split = AnyPair(fmpq_mat([[2, 0], [0, 0]]), fmpq_mat([[0, 0], [0, 1]]))
    assert statement.at(split) is Truth.TRUE
    for share in (0, 1):
        changed = redefined(
            statement,
            k_norm,
            "remainder_trace",
            lambda p, share=share: (
                arb(trace(p.first) + trace(p.second)) / 2 - share * k_norm.k_norm(p.first - p.second, ADD)
            ),
        )
        assert changed.at(split) is Truth.FALSE
    formula = k_norm.k_norm
    for larger in (REPLACE, ADD):
        one = redefined(
            statement,
            k_norm,
            "k_norm",
            lambda matrix, adjacency, larger=larger: formula(matrix, adjacency) + (adjacency is larger),
        )
        assert one.at(split) is Truth.FALSE, "either equation fails alone"


x, y = sympy.symbols("x y", positive=True)


def integral(weight: sympy.Expr, adjacency: Adjacency) -> sympy.Expr:
    """Integrate a symmetric function times the gap and exp(-|N|), over the eigenvalues x and -y, or x > y."""
    gap = sympy.exp(-x - y)
    one_sign = sympy.integrate(sympy.integrate((x - y) * weight * gap, (x, y, sympy.oo)), (y, 0, sympy.oo))
    if adjacency is ADD:
        opposite = sympy.integrate(sympy.integrate((x + y) * weight * gap, (x, 0, sympy.oo)), (y, 0, sympy.oo))
    else:
        below = sympy.integrate((x + y) * weight, (y, 0, x)) * sympy.exp(-x)
        opposite = 2 * sympy.integrate(below, (x, 0, sympy.oo))
    return 2 * one_sign + opposite


@sampler.supports("mean-square", grade="symbolic", region="d = 2, both relations: integrals over the eigenvalues")
@sampler.supports("accepted-share", grade="symbolic", region="d = 2, both relations: integrals over the eigenvalues")
def test_size_and_share_for_two_columns(statements) -> None:
    """The integrals over N itself, not over the unit ball: of |N|_F^2 and of one, with eigenvalues of density x - y."""
    cone = sympy.integrate(sympy.integrate((x - y) * sympy.exp(-x - y), (x, y, sympy.oo)), (y, 0, sympy.oo))
    found = {}
    for adjacency, square, share in (
        (REPLACE, sympy.Rational(109, 7), sympy.Rational(7, 10)),
        (ADD, sympy.Rational(25, 3), sympy.Rational(3, 4)),
    ):
        mass = integral(sympy.Integer(1), adjacency)
        assert integral(x**2 + y**2, adjacency) / mass == square
        # pairs: (2D)! vol^2 = 20 cone^2 and cone^2; R: cone, and cone/8 with twice the exponent
        pairs_, rests = (20 * cone**2, cone) if adjacency is REPLACE else (cone**2, cone / 8)
        assert mass * rests / pairs_ == share
        found[adjacency] = (square, share)
        for statement in statements.values():
            assert statement.at(Relation(adjacency)) is Truth.TRUE
    shares = [part for adjacency in (REPLACE, ADD) for part in found[adjacency][1].as_numer_denom()]
    sampler.tells("for d = 2, {} of {}, or {} of {}, are", *shares)


@sampler.controls("mean-square", grade="symbolic", region="d = 2: the density without the gap of the eigenvalues")
@sampler.controls("accepted-share", grade="symbolic", region="d = 2: the density without the gap of the eigenvalues")
def test_eigenvalues_that_do_not_repel_have_another_size(statements) -> None:
    for statement in statements.values():
        for adjacency in (REPLACE, ADD):
            assert statement.at(Relation(adjacency)) is Truth.TRUE
            changed = redefined(statement, k_norm, "one_sign", lambda: (fmpq(1, 4), fmpq(1, 12)))
            assert changed.at(Relation(adjacency)) is Truth.FALSE

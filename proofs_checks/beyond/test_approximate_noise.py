"""How little noise second moments can have under approximate privacy: direction by direction."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.mechanisms.approximate_lower_bounds import DENOMINATOR, KINDS, searched
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.beyond import approximate_noise
from dpmatrix.spec.beyond.approximate_noise import Columns, GaussianNoise, Shaped, Symmetric
from dpmatrix.spec.beyond.one_number import Functions
from dpmatrix.spec.common.spectra import eigenvalues

noise = cite("beyond.approximate-noise@3064120b")

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
ONE = Functions(2, (2,), ((0, 0, Fraction(1, 2), 1, 2, 1, 0),))
TWO = Functions(3, (1, 3), ((0, Fraction(1, 4), 0), (0, 0, 1, Fraction(3, 2), 1)))


def found(epsilon: float, delta: float) -> Functions:
    """Take the functions that the library's search finds."""
    answer = searched(epsilon, delta)
    heights = tuple(tuple(Fraction(value, DENOMINATOR) for value in row) for row in answer.heights)
    return Functions(answer.k, tuple(answer.k * kind // KINDS for kind in range(1, KINDS + 1)), heights)


POINTS = [
    GaussianNoise(dimension, beside, along, epsilon, adjacency, functions)
    for dimension, adjacency, functions in product((1, 2, 7), (REPLACE, ADD), (ONE, TWO))
    for beside, along, epsilon in (
        (Fraction(16), Fraction(9), Fraction(1)),
        (Fraction(1, 4), Fraction(1, 3), Fraction(1, 2)),
    )
]
OUTSIDE = {
    "dimension >= 1, an integer": attrs.evolve(POINTS[0], dimension=0),
    "beside > 0": attrs.evolve(POINTS[0], beside=Fraction(0)),
    "along > 0": attrs.evolve(POINTS[0], along=Fraction(0)),
    "epsilon > 0": attrs.evolve(POINTS[0], epsilon=Fraction(0)),
    "test functions are of the form that is described": attrs.evolve(POINTS[0], functions=attrs.evolve(ONE, k=1)),
}


def real(value: Fraction | int) -> mpmath.mpf:
    return mpmath.mpf(Fraction(value).numerator) / Fraction(value).denominator


def at_node(functions: Functions, t: int, node: int) -> Fraction:
    heights = functions.heights[t]
    table = dict(zip(range(-(len(heights) // 2), len(heights) // 2 + 1), heights, strict=True))
    return Fraction(table.get(node, 0))


def many(dimension: int, adjacency: Adjacency) -> mpmath.mpf:
    """Give K as it is written in words."""
    d = mpmath.mpf(dimension)
    return d * d + d - 2 + 2 / (d + 1) if adjacency is REPLACE else ((d - 1) * mpmath.sqrt(d / 2 + 1) + 1) ** 2 / d


def margin(p: GaussianNoise) -> str:
    """Compute the margin to 50 digits: the divergence of two normal laws by their distribution function."""
    with mpmath.workdps(60):
        d, epsilon, k = p.dimension, real(p.epsilon), p.functions.k
        one = [Fraction(d - 1, d) / p.beside + Fraction(1, d) / p.along]
        two = [2 / Fraction(p.beside)] if p.adjacency is REPLACE and d > 1 else []
        shift = mpmath.sqrt(real(max(one + two)))
        delta = mpmath.ncdf(shift / 2 - epsilon / shift)
        delta -= mpmath.exp(epsilon) * mpmath.ncdf(-shift / 2 - epsilon / shift)
        sums = []
        for node in range(-40, 41):
            total = real(Fraction(node, k) ** 2)
            for t, r in enumerate(p.functions.steps):
                total += real(at_node(p.functions, t, node) + at_node(p.functions, t, -node))
                behind = at_node(p.functions, t, node - r) + at_node(p.functions, t, -node - r)
                total -= mpmath.exp(epsilon) * real(behind)
            sums.append(total)
        tops = sum(max(map(Fraction, heights)) for heights in p.functions.heights)
        number = min(sums) - real(Fraction(1, 4 * k * k)) - 2 * delta * real(tops)
        square = real((Fraction(d * (d + 1), 2) - 1) * p.beside + p.along)
        return mpmath.nstr(square - many(d, p.adjacency) * number, 50)


@noise.supports(
    grade="derived",
    region="every mechanism, d and both relations, by the docstring; 24 points of Gaussian noise, d = 1, 2, 7",
)
def test_no_private_mechanism_has_less_noise_than_its_directions(statement) -> None:
    """Let |Z|_F^2 be the sum of c <A, Z>^2 over finitely many A, for all symmetric Z. For each A and each kind t take m
    records that count or not: s_t^(1/2) u in the place of s_t^(1/2) v, u and v unit eigenvectors of A of the greatest
    and the least eigenvalue, or zero in the place of either where zero is more, or less. This changes <A, X'X> by w(A)
    s_t, w as in `swaps`. Added or removed, s_t^(1/2) u changes it by s_t times the greatest eigenvalue in size. All
    records that do not belong to a count are zero. Fix which records of all other A count: then <A, X'X> is a constant
    plus w(A) (s_1 c_1 + ... + s_T c_T), and a count that is one more is a neighbour. So <A, M(X)>, less the constant,
    over w(A), is a mechanism as in `beyond.one-number`, and the mean over c of the square of its error is at least b_m,
    by the proof there, which bounds the mean. So the mean over all counts of the sum of c <A, M(X) - X'X>^2 is at least
    b_m times the sum of c w(A)^2, and some data set has no less. The sum is |M(X) - X'X|_F^2, or less where M(X) is not
    symmetric. As m grows, b_m tends to b.

    Where a record is replaced the A are those of `split`. Where it is added or removed they are those of `orbit`, of
    which finitely many do: the mean of the maps Z -> <A, Z> A over the sphere lies in the convex hull of a compact set
    of finite dimension (Caratheodory).
    """  # noqa: D205
    bind(statement, [(p, margin(p)) for p in POINTS])
    bind_hypotheses(statement, POINTS[0], OUTSIDE)
    assert not statement.strict
    for p in POINTS:
        assert statement.at(p) is Truth.TRUE
    best = found(1.0, 1e-6)
    for dimension, adjacency in product((1, 2, 20), (REPLACE, ADD)):
        assert statement.at(GaussianNoise(dimension, 16, 16, 1, adjacency, best)) is Truth.TRUE


@noise.controls(grade="interval", region="epsilon = 1, the functions of delta = 1/10: twice the gain, and no delta")
def test_twice_the_gain_is_more_than_gaussian_noise_has(statement) -> None:
    best = found(1.0, 0.1)
    p = GaussianNoise(3, Fraction(2), Fraction(1, 2), 1, REPLACE, best)
    assert statement.at(p) is Truth.TRUE
    free = redefined(statement, approximate_noise, "cost", lambda _functions: 0)
    gain = approximate_noise.gain
    assert free.at(attrs.evolve(p, beside=Fraction(1, 4))) is Truth.FALSE
    more = redefined(statement, approximate_noise, "gain", lambda functions, epsilon: 2 * gain(functions, epsilon))
    assert more.at(p) is Truth.FALSE


MATRICES = [
    fmpq_mat(
        d,
        d,
        [fmpq((3 * i + 5 * j + 7 * seed) % 11 - 4, 1 + (i + 2 * j + seed) % 4) for i in range(d) for j in range(d)],
    )
    for d in (1, 2, 3, 5)
    for seed in range(5)
]
SYMMETRIC = [Symmetric(matrix + matrix.transpose()) for matrix in MATRICES]
LOPSIDED = {"Z is symmetric": Symmetric(fmpq_mat([[0, 1], [0, 0]]))}


def entries(p: Symmetric) -> list[list[Fraction]]:
    return [[Fraction(int(entry.p), int(entry.q)) for entry in row] for row in p.matrix.tolist()]


def squared(p: Symmetric) -> Fraction:
    return sum((entry * entry for row in entries(p) for entry in row), Fraction(0))


def split(p: Symmetric) -> Fraction:
    """Write the three sums out in entries."""
    z = entries(p)
    d, diagonal = len(z), [row[i] for i, row in enumerate(z)]
    pairs = [(i, j) for i in range(d) for j in range(i)]
    beside = sum((Fraction(1, 2) * (2 * z[i][j]) ** 2 for i, j in pairs), Fraction(0))
    apart = sum(((diagonal[i] - diagonal[j]) ** 2 for i, j in pairs), Fraction(0))
    lean = sum(((sum(diagonal) + entry) ** 2 for entry in diagonal), Fraction(0))
    return beside + (Fraction(d + 2) * apart + lean) / (d + 1) ** 2


@noise.supports("split", grade="derived", region="every Z and d, by the docstring; 20 with d = 1, 2, 3, 5")
def test_a_square_is_a_sum_over_swaps(statement) -> None:
    """The first kind gives 2 z_ij^2 for i < j. Of the diagonal z, of sum t, the second gives (d + 2) (d |z|^2 - t^2)
    over (d + 1)^2, and the third |z|^2 + 2 t^2 + d t^2 over the same, together (d (d + 2) + 1) |z|^2/(d + 1)^2 = |z|^2.
    """  # noqa: D205
    bind(statement, [(p, -abs(split(p) - squared(p))) for p in SYMMETRIC])
    bind_hypotheses(statement, SYMMETRIC[5], LOPSIDED)
    assert not statement.strict
    for p in SYMMETRIC:
        assert split(p) == squared(p)
    assert approximate_noise.symmetric_margin(Symmetric(fmpq_mat(0, 0, []))) == -1


@noise.controls("split", grade="interval", region="d = 2: half the weights")
def test_other_weights_give_another_square(statement) -> None:
    pairs = approximate_noise.directions
    other = redefined(statement, approximate_noise, "directions", lambda size: ((c / 2, a) for c, a in pairs(size)))
    assert other.at(SYMMETRIC[8]) is Truth.FALSE


COLUMNS = [Columns(d) for d in range(1, 21)]


def swaps(d: int) -> Fraction:
    """By the eigenvalues: 1, -1 and zeros twice, and 2 and ones."""
    pairs = Fraction(d * (d - 1), 2)
    found = pairs * Fraction(1, 2) * 2**2 + (pairs * (d + 2) * 2**2 + d * 2**2) / (d + 1) ** 2
    return found - (Fraction(d) * d + d - 2 + Fraction(2, d + 1))


@noise.supports("swaps", grade="derived", region="every d, by the docstring; d = 1, ..., 20")
def test_a_swap_changes_so_much(statement) -> None:
    """A has the eigenvalues 1, -1 and zeros for the first two kinds, and 2 and ones for the third, so w is 2. The
    sum is 2 d (d - 1) (1/2 + (d + 2)/(d + 1)^2) + 4 d/(d + 1)^2 = d (d - 1) + 2 d^2/(d + 1).
    """  # noqa: D205
    bind(statement, [(p, -abs(swaps(p.dimension))) for p in COLUMNS])
    bind_hypotheses(statement, COLUMNS[0], {"dimension >= 1, an integer": Columns(0)})
    assert not statement.strict
    for d in range(1, 21):
        assert swaps(d) == 0
        for _, a in approximate_noise.directions(min(d, 4)):
            assert approximate_noise.most_by_a_swap(a).contains(2)


@noise.controls("swaps", grade="interval", region="the most that an added record changes, d = 4")
def test_a_swap_changes_more_than_one_record(statement) -> None:
    largest = redefined(
        statement,
        approximate_noise,
        "most_by_a_swap",
        lambda a: max(map(abs, eigenvalues(a)), key=lambda v: float(v.mid())),
    )
    assert largest.at(COLUMNS[3]) is Truth.FALSE


def orbit(p: Symmetric) -> tuple[Fraction, mpmath.mpf]:
    """Write the mean out by the moments of the sphere: E u_i^4 = 3/(d (d + 2)), E u_i^2 u_j^2 = 1/(d (d + 2))."""
    z = entries(p)
    d = len(z)
    base = Fraction(1, d * (d + 2))
    fourth = sum((3 * base * z[i][i] ** 2 for i in range(d)), Fraction(0))
    for i in range(d):
        for j in range(d):
            if i != j:
                fourth += base * (z[i][i] * z[j][j] + 2 * z[i][j] ** 2)
    t = sum((z[i][i] for i in range(d)), Fraction(0))
    mean = Fraction(d * (d + 2), 2) * (fourth - t**2 / d**2) + t**2 / d
    tilt, level = mpmath.sqrt(real(Fraction(d * (d + 2), 2))), mpmath.sqrt(d)
    return mean, max(tilt * (1 - mpmath.mpf(1) / d) + level / d, abs(level / d - tilt / d) if d > 1 else 0) ** 2


@noise.supports("orbit", grade="derived", region="every Z and d, by the docstring; 20 with d = 1, 2, 3, 5")
def test_a_square_is_a_mean_over_leaning_matrices(statement) -> None:
    """Of a uniform u on the sphere, E u_i^4 = 3/(d (d + 2)) and E u_i^2 u_j^2 = 1/(d (d + 2)), so that u'Zu has the
    mean t/d and the mean square (2 |Z|_F^2 + t^2)/(d (d + 2)). <A, Z> is p (u'Zu - t/d) + q t/d, of mean square p^2 (2
    |Z|_F^2 - 2 t^2/d)/(d (d + 2)) + q^2 t^2/d^2 = |Z|_F^2. A has the eigenvalue p (d - 1)/d + q/d on u, and beside it
    (q - p)/d, less in size; p (d - 1)/d = (d - 1) ((d + 2)/(2 d))^(1/2) and q/d = d^(-1/2).
    """  # noqa: D205
    with mpmath.workdps(60):
        pairs = []
        for p in SYMMETRIC:
            mean, most = orbit(p)
            assert mean == squared(p)
            pairs.append((p, mpmath.nstr(-abs(most - many(p.matrix.nrows(), ADD)), 50)))
        bind(statement, pairs)
    bind_hypotheses(statement, SYMMETRIC[5], LOPSIDED)
    assert not statement.strict


@noise.controls("orbit", grade="interval", region="d = 2, 3: matrices that lean less, or more")
def test_another_lean_gives_another_square(statement) -> None:
    lean = approximate_noise.lean
    for share in (Fraction(9, 10), Fraction(11, 10)):
        other = redefined(
            statement,
            approximate_noise,
            "lean",
            lambda d, share=share: (lean(d)[0] * share.numerator / share.denominator, lean(d)[1]),
        )
        assert other.at(SYMMETRIC[8]) is Truth.FALSE
        assert other.at(SYMMETRIC[12]) is Truth.FALSE


SHAPES = [Shaped(d, adjacency) for d in range(1, 11) for adjacency in (REPLACE, ADD)]


@noise.supports("shape", grade="derived", region="every d and both relations, by the docstring; d = 1, ..., 10")
def test_noise_of_that_shape_has_so_many_times_the_variance(statement) -> None:
    """The change of a record in standard deviations is a norm of a difference, so it is greatest at an extreme point of
    the differences of two matrices of the hull of all xx': uu', -vv', or uu' - vv', of which the part along the
    identity is zero. |uu' - I/d|^2 = 1 - 1/d, and |uu' - vv'|^2 is at most 2. For a replaced record both are 1:
    (1 - 1/d)/2 + (d + 1)/(2 d) = 1, and the total is (d - 1)(d + 2) + 2/(d + 1) = K. For one added or removed let r be
    the root of K: then (1 - 1/d)/beside = (1 - 1/d) d (d + 2)/(2 p r), 1/(d along) = q/(d r), and the sum of
    p (d - 1)/d and q/d is r; the total is r times (d - 1) p/d + 1/q = r.
    """  # noqa: D205
    bind(statement, [(p, 0) for p in SHAPES])
    bind_hypotheses(statement, SHAPES[0], {"dimension >= 1, an integer": Shaped(0, REPLACE)})
    assert not statement.strict
    rng = np.random.default_rng(7)
    for p in SHAPES[2:]:
        beside, along = (float(value.mid()) for value in approximate_noise.best_shape(p))
        d = p.dimension
        for _ in range(200):
            x, z = (v / max(1.0, float(np.linalg.norm(v))) for v in rng.normal(size=(2, d)))
            change = np.outer(x, x) - (np.outer(z, z) if p.adjacency is REPLACE else 0)
            part = np.trace(change) / d * np.eye(d)
            assert ((change - part) ** 2).sum() / beside + (part**2).sum() / along <= 1 + 1e-9
        assert beside * (d - 1) * (d + 2) / 2 + along == pytest.approx(float(many(d, p.adjacency)))


@noise.controls("shape", grade="interval", region="d = 2, 5: equal variances")
def test_equal_variances_have_more(statement) -> None:
    equal = redefined(statement, approximate_noise, "best_shape", lambda _p: (arb(2), arb(2)))
    for p in (SHAPES[2], SHAPES[8]):
        assert p.adjacency is REPLACE
        assert equal.at(p) is Truth.FALSE

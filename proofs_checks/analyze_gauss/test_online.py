"""Algorithm 3: what it draws, and the privacy of its whole output."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss import online
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import printed_deviation
from dpmatrix.spec.analyze_gauss.online import GridEntry, OnlinePromise, OnlineRun, Reward
from dpmatrix.spec.common.spectra import trace
from dpmatrix.tracing import bind_expression
from proofs_checks.analyze_gauss.online_guarantees import GUARANTEE, outside, sufficient
from proofs_checks.gaussian_profiles import divergence

algorithm_3 = cite("analyze-gauss.algorithm-3@313a4582")

SMALL = Fraction(1, 10**6)


@algorithm_3.refutes(
    grade="derived",
    region="every h > 0: Pr(r < X < h - r) > 0 for r < h/2; h = 10^-12, .., 10^12; the formula as an expression",
)
def test_gaussian_noise_is_on_no_grid(statement) -> None:
    """The density is positive everywhere, so X is in (r, h - r) with positive probability; there it is off hZ."""
    statement.refute(lambda spacing: GridEntry(1 / spacing, SMALL, spacing, spacing / 4))
    e, delta, h, r = sympy.symbols("epsilon delta spacing distance", positive=True)
    scale = sympy.sqrt(2) * (1 + sympy.sqrt(2 * sympy.log(1 / delta))) / e
    bind_expression(statement, -(sympy.erfc(r / scale) - sympy.erfc((h - r) / scale)) / 2)
    inside = GridEntry(1, SMALL, 1, Fraction(1, 4))
    changes = {
        "spacing > 0": {"spacing": 0},
        "distance >= 0": {"distance": -1},
        "distance < h/2": {"distance": Fraction(1, 2)},
    }
    bind_hypotheses(statement, inside, outside(inside, GUARANTEE | changes))
    for distance in (0, Fraction(499, 1000)):
        assert statement.applies(attrs.evolve(inside, distance=distance)) is Truth.TRUE


ONLINE_GUARANTEES = [
    OnlinePromise(epsilon, delta, bound, adjacency, steps)
    for epsilon, delta, bound, adjacency, steps in product(
        (Fraction(1, 10), 1, 20), (SMALL, Fraction(1, 10)), (1, 3), tuple(Adjacency), (1, 50)
    )
]


RUNS = [
    OnlineRun(OnlinePromise(epsilon, Fraction(1, 100), bound, adjacency, steps), variance, steps)
    for epsilon, bound, adjacency, steps, variance in product((1, 2), (1, 2), tuple(Adjacency), (1, 4, 9), (10, 900))
]


@algorithm_3.controls("noise", grade="interval", region="48 invented runs: the least variance; a draw too few")
def test_the_least_variance_of_a_stream(statement) -> None:
    """At least m (s Delta')^2; a run that draws too few matrices fails whatever its variance."""
    with mpmath.workdps(80):
        values = []
        for p in RUNS:
            square = 2 if p.promise.adjacency is Adjacency.REPLACE_ONE else 1
            least = p.promise.steps * square * p.promise.norm_bound**4 * sufficient(p.promise) ** 2
            values.append((p, p.variance - least))
        bind(statement.elsewhere(), values)
    assert statement.at(RUNS[1]) is Truth.TRUE
    assert statement.elsewhere().at(RUNS[0]) is Truth.FALSE
    assert statement.elsewhere().at(attrs.evolve(RUNS[3], variance=10**6, drawn=3)) is Truth.FALSE
    assert statement.at(attrs.evolve(RUNS[3], variance=10**6)) is Truth.TRUE
    least = OnlineRun(OnlinePromise(1, 1, 2, Adjacency.ADD_REMOVE_ONE, 4), 64, 4)
    assert statement.at(least) is Truth.TRUE, "at delta = 1 Delta is rational, and exactly m (s Delta')^2 will do"
    empty = attrs.evolve(RUNS[0], promise=attrs.evolve(RUNS[0].promise, steps=0))
    bind_hypotheses(statement, RUNS[0], {"m >= 1": empty})


@algorithm_3.supports_repair(
    grade="derived", region="every m, R, delta < 1 and epsilon, both relations; the formula as an expression, 48 points"
)
def test_all_steps_together_keep_the_guarantee(statement) -> None:
    """The m upper triangles are one vector with independent noise; a row that comes at step t changes C_t, ..., C_m by
    the same matrix of norm at most s, and the vector by sqrt(m - t + 1) s <= sqrt(m) s. Divided by sqrt(m) s this is
    `analyze-gauss.algorithm-1+repair`, and sensitivity and deviation keep their ratio Delta'.
    """  # noqa: D205
    m, s, t = sympy.symbols("m s t", positive=True)
    assert sympy.simplify((sympy.sqrt(m) * s) ** 2 - (m - t + 1) * s**2 - (t - 1) * s**2) == 0
    with mpmath.workdps(80):
        values = []
        for p in ONLINE_GUARANTEES:
            epsilon, mu = real(p.epsilon), 1 / sufficient(p)
            found = mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
            values.append((p, real(p.delta) / 2 - found))
        bind(statement, values)
    epsilon, delta = sympy.symbols("epsilon delta", positive=True)
    a = sympy.sqrt(2 * sympy.log(1 / delta))
    multiple = sympy.Max((1 + a) / epsilon, (a + sympy.sqrt(a**2 + 2 * epsilon)) / (2 * epsilon))
    bind_expression(statement, delta / 2 - divergence(epsilon, 1 / multiple))
    assert all(statement.at(p) is Truth.TRUE for p in ONLINE_GUARANTEES)
    inside = OnlinePromise(1, Fraction(1, 1000), 1, Adjacency.ADD_REMOVE_ONE, 1)
    changes = {
        "norm_bound > 0": {"norm_bound": 0},
        "steps >= 1, an integer": {"steps": 0},
    }
    bind_hypotheses(statement, inside, outside(inside, GUARANTEE | changes))


@algorithm_3.controls("+repair", grade="interval", region="m = 50: the noise of one step; epsilon = 20: Delta")
def test_noise_of_one_step_is_not_enough_for_fifty(statement) -> None:
    """The exact profile at mu = sqrt(50)/Delta is above 0.17 for epsilon = 1, delta = 1e-6."""
    point = OnlinePromise(1, SMALL, 1, Adjacency.ADD_REMOVE_ONE, 50)
    assert statement.at(point) is Truth.TRUE

    def one_step(p: OnlinePromise) -> arb:
        noise = GaussianProfile(arb(p.steps).sqrt(), printed_deviation(p.epsilon, p.delta))
        return arb(rational(p.delta)) / 2 - noise.delta(p.epsilon)

    assert statement.nudged(margin=one_step).at(point) is Truth.FALSE
    assert arb(rational(point.delta)) / 2 - one_step(point) > arb("0.17")
    large = OnlinePromise(20, Fraction(1, 2), 1, Adjacency.ADD_REMOVE_ONE, 1)
    assert statement.at(large) is Truth.TRUE
    assert statement.nudged(margin=one_step).at(large) is Truth.FALSE


@algorithm_3.supports("reward", grade="derived", region="every V and a; n, k <= 4 with symbols, 24 pairs exactly")
@algorithm_3.controls("reward", grade="symbolic", region="n = 2, k = 1: tr(V'V) for tr(a'VV'a)")
def test_the_reward_is_a_trace(statement) -> None:
    """For the column u = V'a, a'VV'a = u'u has one entry, the sum of the squares of those of u."""
    for n, k in product((1, 2, 4), (1, 3)):
        v, a = (sympy.MatrixSymbol(name, n, width).as_explicit() for name, width in (("V", k), ("a", 1)))
        coordinates = v.T * a
        assert sympy.expand((a.T * v * v.T * a)[0, 0] - sum(x**2 for x in coordinates)) == 0
    points = []
    for seed, (n, k) in product(range(1, 7), ((1, 1), (3, 2), (4, 1), (4, 4))):
        basis = fmpq_mat(n, k, [fmpq((seed * i) % 7 - 3, seed) for i in range(n * k)])
        points.append(Reward(basis, fmpq_mat(n, 1, [fmpq((i + seed) % 5 - 2, 3) for i in range(n)])))
        assert statement.at(points[-1]) is Truth.TRUE
    bind(statement, [(p, 0) for p in points])
    column = Reward(fmpq_mat([[1], [2]]), fmpq_mat([[3], [1]]))
    basis_alone = redefined(statement, online, "trace", lambda _: trace(column.basis.transpose() * column.basis))
    assert basis_alone.at(column) is Truth.FALSE
    assert basis_alone.formula(column) == 5 - 25
    shape = "a is one column with the rows of V"
    bind_hypotheses(statement, column, {shape: Reward(column.basis, fmpq_mat([[1, 0], [0, 1]]))})
    bind_hypotheses(statement, column, {shape: Reward(column.basis, fmpq_mat([[1]]))})
    assert statement.conclusion(Reward(column.basis, fmpq_mat([[1, 0], [1, 0]]))) is Truth.TRUE, "a zero column"

"""Staircase noise of second moments: private as its steps are as wide as a change, made of balls, and no worse."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

import attrs
import mpmath
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.beyond import staircase
from dpmatrix.spec.beyond.staircase import Layers, Shells, StairPoint, Widths

privacy = cite("beyond.staircase-privacy@43eea58f")
noise = cite("beyond.staircase-noise@af351b62")

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
NOISES = (
    fmpq_mat([[0, 0], [0, 0]]),
    fmpq_mat([[3, 1], [1, -2]]),
    fmpq_mat([[fmpq(1, 2), 0], [0, fmpq(1, 7)]]),
    fmpq_mat([[-5, fmpq(-7, 2)], [fmpq(-7, 2), fmpq(-62, 7)]]),
    fmpq_mat([[fmpq(1, 9), fmpq(1, 4)], [fmpq(1, 4), fmpq(-1, 5)]]),
)
RECORDS = (
    (REPLACE, (Fraction(1, 2), Fraction(1, 3)), (Fraction(-4, 5), Fraction(3, 5))),
    (REPLACE, (Fraction(1, 3), 0), (Fraction(2, 7), Fraction(1, 5))),
    (ADD, (Fraction(1, 2), Fraction(-1, 3)), (0, 0)),
    (ADD, (0, 0), (Fraction(3, 5), Fraction(3, 5))),
)


def norm(matrix: fmpq_mat, adjacency: Adjacency) -> mpmath.mpf:
    """Compute the norm of a 2 x 2 matrix by the formula for its eigenvalues."""
    a, b, c = (mpmath.mpf(int(entry.p)) / int(entry.q) for entry in (matrix[0, 0], matrix[0, 1], matrix[1, 1]))
    root = mpmath.sqrt((a - c) ** 2 + 4 * b**2)
    values = ((a + c + root) / 2, (a + c - root) / 2)
    both = sum(max(value, 0) for value in values), sum(max(-value, 0) for value in values)
    return max(both) if adjacency is REPLACE else sum(both)


def steps_below(length: mpmath.mpf, width: Fraction) -> int:
    """Count the steps that a norm has passed."""
    k = 0
    while length > k + mpmath.mpf(width.numerator) / width.denominator:
        k += 1
    return k


def points() -> Iterator[tuple[StairPoint, Fraction]]:
    """Yield points with d = 2, and the margin from the roots of a quadratic and by counting."""
    settings = ((1, Fraction(1), Fraction(1, 3)), (4, Fraction(5, 3), Fraction(1)), (2, Fraction(1, 2), Fraction(0)))
    for matrix, (adjacency, v, w), (records, epsilon, width) in product(NOISES, RECORDS, settings):
        moved = fmpq_mat(2, 2)
        for i, j in product(range(2), repeat=2):
            change = rational(v[i]) * rational(v[j]) - rational(w[i]) * rational(w[j])
            moved[i, j] = matrix[i, j] - change / records
        with mpmath.workdps(60):
            here, there = (steps_below(records * norm(one, adjacency), width) for one in (matrix, moved))
        yield StairPoint(matrix, v, w, records, epsilon, width, adjacency), epsilon * (1 - here + there)


POINTS = list(points())
POINT = POINTS[12][0]
OUTSIDE = {
    "records >= 1, an integer": attrs.evolve(POINT, records=0),
    "epsilon > 0": attrs.evolve(POINT, epsilon=0),
    "N is symmetric": attrs.evolve(POINT, noise=fmpq_mat([[1, 1], [0, 1]])),
    "|v| <= 1": attrs.evolve(POINT, v=(1, Fraction(1, 100))),
    "|w| <= 1": attrs.evolve(POINT, w=(Fraction(1, 100), 1)),
    "under add/remove-one, v or w is zero": attrs.evolve(POINT, adjacency=ADD),
}


@privacy.supports(
    grade="derived", region="every d, N, v, w, n, epsilon, g and relation, by the docstring; 60 points, d = 2"
)
def test_a_change_passes_at_most_one_step(statement) -> None:
    """Let M = (vv' - ww')/n. By `beyond.k-norm-privacy` n |N| - n |N - M| <= 1: at every N the log of that quotient of
    densities, eps n (|N| - |N - M|), is at most eps. Let k be the step of N - M: n |N - M| <= k + g. Then
    n |N| <= (k + 1) + g, so the step of N is at most k + 1, and the quotient of densities at most e^eps.
    """  # noqa: D205
    bind(statement, POINTS)
    bind_hypotheses(statement, POINT, OUTSIDE)
    assert not statement.strict
    assert {margin / point.epsilon for point, margin in POINTS} == {0, 1, 2}, "down a step, none, up a step"
    edge = StairPoint(fmpq_mat([[3, 0], [0, 0]]), (1, 0), (0, 0), 1, Fraction(1), 0, ADD)
    for width in (Fraction(0), Fraction(1)):
        assert statement.at(attrs.evolve(edge, width=width)) is Truth.TRUE, "on the edge of a step"
        assert statement.margin(attrs.evolve(edge, width=width)) == 0


@privacy.controls(grade="interval", region="the norm 5 % larger; half as wide steps; longer records; one too many")
def test_narrower_steps_and_longer_records_lose_more(statement) -> None:
    tight = StairPoint(fmpq_mat([[2, 0], [0, -2]]), (1, 0), (0, 1), 1, Fraction(1), Fraction(19, 20), REPLACE)
    assert statement.at(tight) is Truth.TRUE
    formula = staircase.k_norm
    for factor in (Fraction(21, 20), Fraction(2)):
        larger = redefined(
            statement,
            staircase,
            "k_norm",
            lambda matrix, adjacency, factor=factor: formula(matrix, adjacency) * rational(factor),
        )
        assert larger.at(attrs.evolve(tight, width=Fraction(7, 100))) is Truth.FALSE
    nuclear = redefined(statement, staircase, "k_norm", lambda matrix, _adjacency: formula(matrix, ADD))
    assert nuclear.at(tight) is Truth.FALSE, "the nuclear norm, for a replaced record"
    above = attrs.evolve(tight, noise=fmpq_mat([[2, 0], [0, 0]]), v=(Fraction(11, 10), 0), w=(0, 0))
    assert statement.without("|v| <= 1").at(above) is Truth.FALSE
    below = attrs.evolve(tight, noise=fmpq_mat([[0, 0], [0, -2]]), v=(0, 0), w=(0, Fraction(11, 10)))
    assert statement.without("|w| <= 1").at(below) is Truth.FALSE
    assert statement.without("under add/remove-one, v or w is zero").at(attrs.evolve(tight, adjacency=ADD)) is (
        Truth.FALSE
    )


LAYERS = [
    Layers(norm, ratio, width, terms)
    for norm in (0, Fraction(1, 3), Fraction(4, 3), 2, Fraction(17, 4))
    for ratio in (Fraction(1, 5), Fraction(7, 8))
    for width in (0, Fraction(1, 3), 1)
    for terms in (0, 1, 3, 7)
]


@noise.supports(grade="derived", region="every t, q, g and K, by the docstring; 120 points")
def test_balls_add_up_to_steps(statement) -> None:
    """The k with t <= k + g are those from the step s of t on. If s <= K, with (1 - q) q^k = q^k - q^(k+1) the sum over
    s <= k < K is q^s - q^K (1); else nothing is added to q^K. As K grows q^K goes to zero.
    """  # noqa: D205
    q = sympy.Symbol("q", positive=True)
    for first, last in product(range(4), range(4, 7)):
        total = sum((1 - q) * q**k for k in range(first, last)) + q**last
        assert sympy.expand(total - q**first) == 0, "(1)"
    bind(statement, [(p, 0) for p in LAYERS])
    bind_hypotheses(
        statement,
        Layers(Fraction(4, 3), Fraction(1, 5), Fraction(1, 3), 1),
        {"terms >= 0, an integer": Layers(0, Fraction(1, 5), 1, -1)},
    )
    assert not statement.strict
    for p in LAYERS:
        place = steps_below(mpmath.mpf(Fraction(p.norm).numerator) / Fraction(p.norm).denominator, Fraction(p.width))
        assert staircase.layers(p) == rational(p.ratio) ** min(place, p.terms)
        assert statement.at(p) is Truth.TRUE


@noise.controls(grade="interval", region="a ball less; balls that end before their edge")
def test_other_balls_do_not_add_up(statement) -> None:
    p = Layers(Fraction(4, 3), Fraction(1, 5), Fraction(1, 3), 3)
    assert statement.at(p) is Truth.TRUE
    layered = staircase.layers
    short = redefined(statement, staircase, "layers", lambda q: layered(attrs.evolve(q, terms=q.terms - 1)))
    assert short.at(attrs.evolve(p, terms=1)) is Truth.FALSE
    formula = staircase.passed
    open_balls = redefined(statement, staircase, "passed", lambda q: formula(q) + (q.norm == q.width + 1))
    assert open_balls.at(p) is Truth.FALSE
    wide_balls = redefined(statement, staircase, "passed", lambda q: formula(q) - (q.norm == q.width + 1))
    assert wide_balls.at(p) is Truth.FALSE


SHELLS = [
    Shells(ratio, width, power, terms)
    for ratio in (Fraction(1, 5), Fraction(7, 8))
    for width in (Fraction(1, 7), Fraction(2, 3), 1)
    for power in (0, 1, 3, 5, 8)
    for terms in (1, 2, 6)
]


@noise.supports("shells", grade="derived", region="every q, g, m and K, by the docstring; 90 points")
def test_shells_are_sums_of_powers(statement) -> None:
    """With a_k = (k + g)^m and a_-1 = 0 in its place, the sum of q^k (a_k - a_(k-1)) over k < K is the sum of q^k a_k
    less that of q^(k+1) a_k over k < K - 1: (1 - q) times the sum of q^k a_k over k < K, and q^K a_(K-1) (1).

    For the density f(t) of the step times m t^(m-1) the integral over step k is q^k (a_k - a_(k-1)). For m = D and
    D + 2, as K grows, E t^2 = (D/(D + 2)) S_(D+2)/S_D; the docstring's numbers are held against a quadrature.
    """  # noqa: D205
    q = sympy.Symbol("q", positive=True)
    values = sympy.symbols("a0:5")
    for count in range(1, 6):
        shelled = sum(q**k * (values[k] - (values[k - 1] if k else 0)) for k in range(count))
        summed = (1 - q) * sum(q**k * values[k] for k in range(count)) + q**count * values[count - 1]
        assert sympy.expand(shelled - summed) == 0, "(1)"
    bind(statement, [(p, 0) for p in SHELLS])
    bind_hypotheses(
        statement,
        SHELLS[5],
        {
            "power >= 0, an integer": attrs.evolve(SHELLS[5], power=-1),
            "terms >= 1, an integer": attrs.evolve(SHELLS[5], terms=0),
        },
    )
    assert not statement.strict
    for p in SHELLS:
        assert statement.at(p) is Truth.TRUE
    with mpmath.workdps(30):
        for power, epsilon, width in product((1, 3, 6), (mpmath.mpf(1), mpmath.mpf(4)), (mpmath.mpf(1) / 7, 1)):
            edges = [0, *(k + width for k in range(60))]
            squares, masses = (
                mpmath.fsum(
                    mpmath.exp(-epsilon * k)
                    * mpmath.quad(lambda t, more=more, power=power: t ** (power - 1 + more), [a, b])
                    for k, (a, b) in enumerate(pairwise(edges))
                )
                for more in (2, 0)
            )
            sums = [
                mpmath.fsum(mpmath.exp(-epsilon * k) * (k + width) ** m for k in range(60)) for m in (power + 2, power)
            ]
            expected = mpmath.mpf(power) / (power + 2) * sums[0] / sums[1]
            assert abs(squares / masses / expected - 1) < mpmath.mpf(10) ** -15


@noise.controls("shells", grade="interval", region="a first shell that begins at one less; one ball less")
def test_other_shells_have_other_sums(statement) -> None:
    p = SHELLS[5]
    assert statement.at(p) is Truth.TRUE
    formula = staircase.balls
    more = redefined(statement, staircase, "balls", lambda q: formula(attrs.evolve(q, terms=q.terms + 1)))
    assert more.at(p) is Truth.FALSE
    fewer = redefined(statement, staircase, "balls", lambda q: formula(attrs.evolve(q, terms=q.terms - 1)))
    assert fewer.at(attrs.evolve(p, terms=3)) is Truth.FALSE
    whole = redefined(
        statement,
        staircase,
        "shells",
        lambda q: formula(q) - (rational(q.width) - 1) ** q.power,
    )
    assert whole.at(p) is Truth.FALSE


WIDTHS = [
    Widths(ratio, inside, steps)
    for ratio, inside in product((Fraction(1, 5), Fraction(2, 3)), (Fraction(2, 3), Fraction(9, 10), 1))
    for steps in (0, 1, 2, 4)
]


@noise.supports("widths", grade="derived", region="every q, y and j, by the docstring; 24 points")
def test_smooth_noise_is_a_mixture_of_steps(statement) -> None:
    """q^(j+1) - q^(j+1) y + q^j y - q^(j+1) is q^j y (1 - q) (1). Let t = j + s with 0 < s <= 1. The step of t for the
    width g is j + 1 for g < s and j for s <= g <= 1; eps times the integral of e^(-eps g) from 0 to s is 1 - y, and
    from s to 1 it is y - q. So e^(-eps t) is eps/(1 - q) times the integral of e^(-eps g) times the density of steps.
    """  # noqa: D205
    q, y, j = sympy.symbols("ratio inside steps", positive=True)
    stated = q ** (j + 1) * (1 - y) + q**j * (y - q) - (1 - q) * q**j * y
    assert sympy.simplify(stated) == 0, "(1)"
    bind(statement, [(p, 0) for p in WIDTHS])
    bind_hypotheses(
        statement,
        WIDTHS[0],
        {"steps >= 0, an integer": attrs.evolve(WIDTHS[0], steps=-1)},
    )
    assert not statement.strict
    with mpmath.workdps(25):
        for epsilon, whole, inside in product((mpmath.mpf(1) / 3, mpmath.mpf(2)), (0, 2), (mpmath.mpf(2) / 7, 1)):
            length = whole + inside
            mixed = mpmath.quad(
                lambda g, e=epsilon, t=length: mpmath.exp(-e * (g + mpmath.ceil(t - g))),
                [0, inside, 1] if inside < 1 else [0, 1],
            )
            smooth = mpmath.exp(-epsilon * length) * (1 - mpmath.exp(-epsilon)) / epsilon
            assert abs(mixed / smooth - 1) < mpmath.mpf(10) ** -12


@noise.controls("widths", grade="interval", region="widths beyond the norm's part that take the next step as well")
def test_another_mixture_is_not_smooth(statement) -> None:
    p = WIDTHS[0]
    assert statement.at(p) is Truth.TRUE
    lower = redefined(
        statement,
        staircase,
        "over_widths",
        lambda q: rational(q.ratio) ** (q.steps + 1) * (1 - rational(q.ratio)),
    )
    assert lower.at(p) is Truth.FALSE

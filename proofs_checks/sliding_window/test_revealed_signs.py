"""Section 5 of `sliding-window`: the signs of a long row, and the error that keeps them private."""

from __future__ import annotations

from itertools import product

import attrs
import numpy as np
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.loewner import gram
from dpmatrix.spec.sliding_window.revealed_signs import TabledMoments, free_entries, is_right, signed_rows

conjecture_1 = cite("sliding-window.conjecture-1@4cb866d5")

FIFTIETH, LESS = fmpq(1, 50), fmpq(1, 51)


def law(*shares) -> tuple[fmpq, ...]:
    return tuple(fmpq(each) for each in shares)


def silent(d: int, error, eta=0, exponential=1) -> TabledMoments:
    """Publish the mean of all a'a, whatever the row is."""
    rows = signed_rows(TabledMoments(d, (), (), 0, 0, fmpq(1), fmpq(0)))
    mean = sum((gram(row) for row in rows[1:]), gram(rows[0])) / len(rows)
    return TabledMoments(d, (mean,), (law(1),) * len(rows), eta, error, fmpq(exponential), fmpq(0))


def honest(d: int, error=0) -> TabledMoments:
    """Publish a'a itself."""
    rows = signed_rows(silent(d, error))
    laws = tuple(law(*(int(i == j) for j in range(len(rows)))) for i in range(len(rows)))
    return TabledMoments(d, tuple(gram(row) for row in rows), laws, 0, error, fmpq(1), fmpq(0))


def response(d: int, share: fmpq, error, exponential) -> TabledMoments:
    """Publish a'a with a probability, and else the moment of another row, each as likely."""
    sure = honest(d, error)
    rest = (1 - share) / (len(sure.laws) - 1)
    laws = tuple(law(*(share if one else rest for one in each)) for each in sure.laws)
    return attrs.evolve(sure, laws=laws, exponential=fmpq(exponential))


QUIET = silent(2, fmpq(1, 4))
"""In the plane a'a minus the mean has the eigenvalues 1/4 and -1/4."""
NOISY = response(2, fmpq(3, 4), fmpq(1, 2), 3)
"""Right for either row: the two moments differ by 1/2 in norm."""
TABLE = "there is a law for each row"
CLOSE = "laws of rows that differ in one entry are (eps, delta)-close"
RIGHT = "each law is right with probability 9/10"
COARSE = TabledMoments(2, (fmpq_mat(2, 2),), (law(1),) * 2, 1, 0, fmpq(1), fmpq(0))
"""With eta = 1 the matrix 0 is between 0 and 2 a'a."""
LINE = TabledMoments(1, (fmpq_mat([[fmpq(1, 4)]]),), (law(1),) * 2, 0, 0, fmpq(1), fmpq(0))
"""For d = 1 a'a does not tell the sign."""
OUTSIDE = {
    "dimension >= 2, an integer": LINE,
    TABLE: attrs.evolve(honest(2), laws=(law(1, 1),) * 2),
    "eta >= 0": attrs.evolve(QUIET, eta=-FIFTIETH),
    "eta <= 1/50": COARSE,
    "exponential >= 1": attrs.evolve(QUIET, exponential=fmpq(49, 50)),
    "exponential <= 3": response(2, fmpq(9, 10), 0, 9),
    "delta >= 0": attrs.evolve(QUIET, delta=-FIFTIETH),
    "delta <= 1/50": attrs.evolve(honest(2), delta=fmpq(1)),
    CLOSE: honest(2),
    RIGHT: response(2, fmpq(3, 4), 0, 3),
}


def read(output: np.ndarray, known: int) -> np.ndarray:
    """Read signs from the first eigenvector, turned so that fewer of the known ones are negative."""
    vector = np.linalg.eigh(output)[1][:, -1]
    signs = np.where(vector >= 0, 1, -1)
    turned = np.where(-vector >= 0, 1, -1)
    return min((signs, turned), key=lambda one: int((one[:known] < 0).sum()))


@conjecture_1.supports(
    "least-error",
    grade="derived",
    region="every d >= 2 and table: the docstring, its numbers checked; of laws on infinitely many outputs the same",
)
def test_private_moments_err_by_the_dimension(statement) -> None:
    """Let zeta < d/200, |a|^2 = d/4 = m, u = a/|a|, and v a first eigenvector of a C that is right, by a fixed rule.

    Direction. v'Cv >= u'Cu >= (1 - eta) m - zeta, and v'Cv <= (1 + eta) m <u, v>^2 + zeta, so that with zeta < m/50 and
    eta <= 1/50 r = <u, v>^2 > (1 - 1/50 - 1/25)/(1 + 1/50) > 0.9215.

    Signs. Let v or -v be turned to have <u, v> > 0, and E be the entries at which v_i a_i <= 0. sqrt(r) = <u, v> is at
    most the sum of the |v_i|/sqrt(d) outside E, hence r <= 1 - |E|/d by Cauchy and Schwarz: |E| < 0.0785 d. The
    signs of v are wrong in E at most, and those of -v outside E at least. Of the d/2 known entries, rounded down, which
    are d/3 at least, v has less than 0.0785 d wrong and -v more than 0.0785 d, so that who knows them finds v. Of the
    other entries, d/2 at least, less than the share 0.157 is wrong.

    Privacy. Let the free signs be uniform. One of them is told as positive with probabilities p and q where it is
    positive and negative, for any values of the others. p <= e^eps q + delta and 1 - q <= e^eps (1 - p) + delta add up
    to (1 - p + q)/2 >= (1 - delta)/(1 + e^eps): the share of wrong free signs is that in the mean, at least 0.98/4.

    Both. It is at most 1/10 + (9/10) 0.157 = 0.2413 for every row, which is less than 0.245.
    """
    eta, zeta = sympy.Rational(1, 50), sympy.Rational(1, 50)
    overlap = (1 - eta - 2 * zeta) / (1 + eta)
    assert overlap > sympy.Rational("0.9215")
    e = sympy.symbols("eta", nonnegative=True)
    falling = sympy.diff((1 - e - 2 * zeta) / (1 + e), e)
    assert sympy.simplify(falling * (1 + e) ** 2 + 2 - 2 * zeta) == 0, "it falls as eta grows"
    wrong = sympy.Rational("0.0785")
    assert 2 * wrong == sympy.Rational("0.157")
    assert 1 - overlap < wrong
    assert 2 * wrong < sympy.Rational(1, 3), "the known entries tell v from -v"
    assert all(3 * (d - (d + 1) // 2) >= d for d in range(2, 12)), "from 3 on as (d - 1)/2 >= d/3"
    p, q, factor, delta = sympy.symbols("p q E delta", positive=True)
    both = (factor * q + delta - p) + (factor * (1 - p) + delta - (1 - q))
    least = (1 - delta) / (1 + factor)
    assert sympy.simplify((1 - p + q) / 2 - least - both / (2 * (1 + factor))) == 0
    allowed = sympy.Rational(1, 10) + sympy.Rational(9, 10) * 2 * wrong
    assert allowed == sympy.Rational("0.2413")
    assert allowed < least.subs({factor: 3, delta: sympy.Rational(1, 50)}) == sympy.Rational("0.245")
    source = np.random.default_rng(7)
    for d, _ in product((2, 3, 5, 20, 101), range(20)):
        known = d // 2
        row = np.concatenate([np.full(known, 0.5), source.choice((-0.5, 0.5), d - known)])
        noise = source.standard_normal((d, d))
        noise += noise.T
        output = np.outer(row, row) + d / 201 * noise / np.linalg.norm(noise, 2)
        assert 1000 * (read(output, known)[known:] != np.sign(row[known:])).sum() <= 157 * (d - known)
    tables = [
        *(silent(d, fmpq(d, 4), step, size) for d, step, size in product((2, 3, 4), (0, LESS), (1, 3))),
        *(response(d, share, fmpq(2 * d), 3) for d, share in product((2, 3, 4), (fmpq(1, 2), fmpq(2, 3)))),
        NOISY,
        *(silent(2, fmpq(k, 32)) for k in range(4, 14)),
    ]
    bind(statement, ((one, fmpq(one.error) - fmpq(one.dimension, 200)) for one in tables))
    inside = [one for one in tables if statement.applies(one) is Truth.TRUE]
    assert len(inside) >= 14
    assert {free_entries(one) for one in inside} == {1, 2}
    assert all(statement.at(one) is Truth.TRUE for one in inside)
    moments = [gram(row) for row in signed_rows(QUIET)]
    assert all(is_right(QUIET, moment, QUIET.outputs[0]) for moment in moments)
    assert not any(is_right(attrs.evolve(QUIET, error=fmpq(6, 25)), one, QUIET.outputs[0]) for one in moments)
    assert not is_right(attrs.evolve(QUIET, error=9), moments[0], fmpq_mat([[1, 1], [0, 1]])), "it is not symmetric"
    assert not statement.strict
    for point in (QUIET, NOISY, silent(3, 1, LESS, 3), attrs.evolve(QUIET, delta=LESS)):
        bind_hypotheses(statement, point, OUTSIDE)
    given = {condition.says: condition for condition in statement.given}
    for laws in (QUIET.laws[:1], QUIET.laws[:1] * 3, (law(0), law(1)), (law(1, 0), law(1))):
        assert given[TABLE].at(attrs.evolve(QUIET, laws=laws)) is Truth.FALSE
    for negative in (fmpq(1, 4), fmpq(1, 20)):
        laws = (law(1 + negative, -negative),) * 2
        assert given[TABLE].at(attrs.evolve(NOISY, laws=laws)) is Truth.FALSE
    sure = honest(2)
    for often, seldom, right in (
        (fmpq(9, 10), fmpq(9, 10), True),
        (fmpq(22, 25), fmpq(22, 25), False),
        (fmpq(19, 20), fmpq(4, 5), False),
    ):
        laws = (law(often, 0), law(0, seldom))
        assert given[RIGHT].at(attrs.evolve(sure, laws=laws)) is (Truth.TRUE if right else Truth.FALSE)
    twice = attrs.evolve(silent(3, 1), outputs=silent(3, 1).outputs * 2, laws=(law(1, 0),) * 3 + (law(0, 1),))
    assert given[CLOSE].at(twice) is Truth.FALSE, "one row is told from its neighbours"
    for factor, right in ((1 + LESS, True), (1 - LESS, True), (1 + FIFTIETH, False), (1 - FIFTIETH, False)):
        assert is_right(attrs.evolve(sure, eta=LESS), moments[0], factor * moments[0]) is right
    for other in (
        attrs.evolve(NOISY, exponential=fmpq(29, 10)),
        attrs.evolve(NOISY, error=fmpq(6, 25)),
        attrs.evolve(QUIET, error=fmpq(6, 25)),
    ):
        assert statement.applies(other) is Truth.FALSE


@conjecture_1.controls(
    "least-error", grade="symbolic", region="each of seven hypotheses dropped, with zeta = 0; d/4 in place of d/200"
)
def test_an_error_of_zero_gives_the_signs_away(statement) -> None:
    for says in (
        "dimension >= 2, an integer",
        TABLE,
        "eta <= 1/50",
        "exponential <= 3",
        "delta <= 1/50",
        CLOSE,
        RIGHT,
    ):
        bare = statement.without(says)
        assert bare.at(OUTSIDE[says]) is Truth.FALSE
    larger = statement.nudged(margin=lambda p: statement.formula(p) + fmpq(p.dimension, 200) - fmpq(p.dimension, 4))
    assert larger.at(QUIET) is Truth.FALSE, "1/4 against 1/2"

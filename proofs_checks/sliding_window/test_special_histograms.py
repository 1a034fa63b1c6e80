"""What the approximate spectral histogram property of `sliding-window` contains, and what breaks it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.histograms import Histogram, seconds_apart
from dpmatrix.spec.sliding_window.loewner import flag
from dpmatrix.spec.sliding_window.special_histograms import BrokenProperty, EmbeddedWindow, NoisyWindow
from dpmatrix.spec.sliding_window.update_lemmas import ExactRun, exact_structure

lemma_1 = cite("sliding-window.lemma-1@00a8a846")

HALF, SMALL, LARGE = Fraction(1, 2), Fraction(1, 50), Fraction(49, 50)


def line(rows, window: int, eta: Fraction, stamps=()) -> Histogram:
    """Return the structure of rows in one dimension with the given stamps, or with all."""
    kept = stamps or range(1, len(rows) + 1)
    matrices = tuple(fmpq_mat([[sum((fmpq(a) ** 2 for a in rows[stamp - 1 :]), fmpq(0))]]) for stamp in kept)
    return Histogram(fmpq_mat([[fmpq(a)] for a in rows]), window, tuple(kept), matrices, eta, matrices)


PLANE = fmpq_mat([[1, 2], [0, 3], [2, -1], [1, 1], [0, 0], [3, 1]])
LINE = fmpq_mat([[2], [0], [3], [1], [1], [1], [0]])
STRUCTURES = [
    exact_structure(ExactRun(rows, window, eta, floor))
    for rows, window, eta, floor in product((PLANE, LINE), (1, 3, 6), (SMALL, HALF, LARGE), (0, fmpq(1, 2)))
]
APART = line((1, 1, 2, 0), 4, Fraction(1, 4))
"""K = 6, 5, 4, 0: 3/4 of 6 exceeds 4, and 5/8 of it does not."""
CLOSE = line((1, 0, 2, 1), 4, HALF)
"""K = 6, 5, 5, 1."""


@lemma_1.supports(
    "relaxes-definition-8", grade="derived", region="every structure: (eta/2) K_i >= 0; 36 structures along streams"
)
def test_the_exact_property_is_a_special_case(statement) -> None:
    """Stamps, suffixes, window and closeness are asked alike. (1-eta/2)K_i <= K' would give (1-eta)K_i <= K'.

    For K_i = A'A + f with f >= 0, so that K_i >= 0, the smaller multiple of K_i is the smaller matrix.
    """
    eta = sympy.symbols("eta")
    assert sympy.expand((1 - eta / 2) - (1 - eta) - eta / 2) == 0
    assert all(statement.at(p) is Truth.TRUE for p in (*STRUCTURES, APART))
    late = [attrs.evolve(p, window=1, stamps=(1,), matrices=p.matrices[:1]) for p in STRUCTURES]
    bind(statement, [*((p, 0) for p in STRUCTURES), *((p, -1) for p in late), (CLOSE, -1), (APART, 0)])
    assert not statement.strict
    outside = {
        "eta > 0": attrs.evolve(APART, eta=0),
        "floor >= 0": attrs.evolve(APART, floor=-SMALL),
        "the spectral histogram property, as read": CLOSE,
    }
    for inside in (APART, STRUCTURES[0], STRUCTURES[-1]):
        bind_hypotheses(statement, inside, outside)


@lemma_1.controls(
    "relaxes-definition-8", grade="symbolic", region="without the property; non-closeness asked with 3 eta/2"
)
def test_a_stronger_property_is_noticed(statement) -> None:
    assert statement.without("the spectral histogram property, as read").at(CLOSE) is Truth.FALSE

    def stronger(p: Histogram) -> arb:
        return flag(seconds_apart(p.matrices, fmpq(3, 2) * fmpq(p.eta.numerator, p.eta.denominator)))

    assert statement.nudged(margin=stronger).at(APART) is Truth.FALSE


EMBEDDED = EmbeddedWindow(
    fmpq_mat([[fmpq(21, 20), 0, 0], [0, 1, 0], [0, 0, fmpq(19, 20)]]),
    fmpq_mat([[1, 2], [0, 1], [3, -1]]),
    fmpq_mat([[1, 0, 2], [1, 1, 0]]),
    HALF,
)
SINGLE = EmbeddedWindow(fmpq_mat([[1, 0]]), fmpq_mat([[1], [fmpq(1, 4)]]), fmpq_mat([[2]]), HALF)


@lemma_1.supports("subspace-embedding", grade="derived", region="every window A_W = BC: C'XC >= 0 for X >= 0")
def test_a_subspace_embedding_is_a_special_case(statement) -> None:
    """(1 -+ eta/4) B'B and B'E'EB, in order, stay so between C' and C: that is (4) for A_W = BC.

    One checkpoint at the window's start has no neighbours to be close to, or apart from.
    """
    x, y, z, c, d = sympy.symbols("x y z c d")
    between = sympy.Matrix([[c, d]]) * sympy.Matrix([[x, y], [y, z]]) * sympy.Matrix([c, d])
    assert sympy.expand(between[0] - (c**2 * x + 2 * c * d * y + d**2 * z)) == 0, "x'C'XCx is X at Cx"
    values = []
    for scale, length, eta in product((Fraction(k, 8) for k in range(5, 12)), (1, 3), (HALF, LARGE)):
        point = attrs.evolve(SINGLE, embedding=fmpq_mat([[fmpq(scale.numerator, scale.denominator), 0]]), eta=eta)
        point = attrs.evolve(point, basis=fmpq_mat([[1], [0]]), coefficients=fmpq_mat([[length]]))
        exact, near = length**2, scale**2 * length**2
        values.append((point, min(Fraction(1), near - (1 - eta / 4) * exact, (1 + eta / 4) * exact - near)))
    bind(statement, values)
    exact = attrs.evolve(SINGLE, embedding=fmpq_mat([[fmpq(15, 16), 0]]), basis=fmpq_mat([[1], [0]]))
    values.append((attrs.evolve(exact, eta=Fraction(31, 64)), Fraction(0)))
    for p, value in values:
        assert statement.applies(p) is (Truth.TRUE if value >= 0 else Truth.FALSE)
    assert statement.at(EMBEDDED) is Truth.TRUE
    assert statement.at(SINGLE) is Truth.TRUE
    assert statement.at(attrs.evolve(SINGLE, coefficients=fmpq_mat([[0]]))) is Truth.TRUE, "the empty window"
    assert not statement.strict
    far = attrs.evolve(EMBEDDED, embedding=EMBEDDED.embedding * fmpq(6, 5))
    for inside in (EMBEDDED, SINGLE):
        bind_hypotheses(statement, inside, {"(1 - eta/4) B'B <= B'E'EB <= (1 + eta/4) B'B": far})


@lemma_1.controls("subspace-embedding", grade="symbolic", region="a larger distortion; one direction that is lost")
def test_worse_embeddings_are_noticed(statement) -> None:
    free = statement.without("(1 - eta/4) B'B <= B'E'EB <= (1 + eta/4) B'B")
    assert free.at(attrs.evolve(EMBEDDED, embedding=EMBEDDED.embedding * fmpq(6, 5))) is Truth.FALSE
    assert free.at(attrs.evolve(EMBEDDED, embedding=fmpq_mat([[1, 0, 0]]))) is Truth.FALSE
    tighter = statement.nudged(margin=lambda p: statement.formula(attrs.evolve(p, eta=SMALL)))
    assert tighter.at(SINGLE) is Truth.FALSE, "16/17 of the square are left"


WINDOWS = [
    fmpq_mat(rows) for rows in ([[1], [1]], [[fmpq(1, 50)]], [[3, 4], [0, 0]], [[0, 0], [fmpq(1, 2), 1]], [[2, 0, 0]])
]


@lemma_1.supports("order-under-noise", grade="derived", region="every eta > 0 and A_W != 0: eta/4 A_W'A_W is not <= 0")
def test_noise_breaks_the_order(statement) -> None:
    """A_W'A_W - S~_1 = (eta/4) A_W'A_W has a positive eigenvalue; (4) begins with (1 - eta/4) S_1."""
    eta, top = sympy.symbols("eta lambda", positive=True)
    assert sympy.expand(top - (1 - eta / 4) * top - eta * top / 4) == 0
    points = [NoisyWindow(rows, eta) for rows, eta in product(WINDOWS, (SMALL, HALF, LARGE, 3))]
    # each of these windows has rank one, so that the largest eigenvalue is the sum of the squares
    values = [(p, fmpq(Fraction(p.eta).numerator, Fraction(p.eta).denominator) / 4 * squares(p.rows)) for p in points]
    bind(statement, values)
    full = NoisyWindow(fmpq_mat([[1, 2], [0, 3], [2, -1]]), HALF)
    assert all(statement.at(p) is Truth.TRUE for p in (*points, full))
    assert statement.strict
    for inside in (points[0], points[4], points[-1], full):
        outside = {
            "eta > 0": attrs.evolve(inside, eta=0),
            "A_W is not zero": attrs.evolve(inside, rows=inside.rows * 0),
        }
        bind_hypotheses(statement, inside, outside)


def squares(rows: fmpq_mat) -> fmpq:
    """Return the sum of the squared entries."""
    return sum((entry * entry for entry in rows.entries()), fmpq(0))


@lemma_1.controls("order-under-noise", grade="symbolic", region="no noise; an empty window; twice the gap")
def test_an_order_that_withstands_is_noticed(statement) -> None:
    assert statement.without("eta > 0").at(NoisyWindow(WINDOWS[0], 0)) is Truth.FALSE
    assert statement.without("A_W is not zero").at(NoisyWindow(fmpq_mat([[0], [0]]), HALF)) is Truth.FALSE
    farther = statement.nudged(lambda margin: margin - HALF.numerator / arb(HALF.denominator))
    assert farther.at(NoisyWindow(WINDOWS[0], HALF)) is Truth.FALSE, "the gap is 1/4"


@lemma_1.supports(
    "property-after-a-row", grade="derived", region="every eta > 0: S_1 = S_3 = 2, so that (1 - eta/2) S_1 <= S_3"
)
def test_a_row_may_break_the_property(statement) -> None:
    """Three checkpoints have no triple that is asked; with the fourth the first and the third are compared."""
    eta = sympy.symbols("eta")
    assert sympy.expand(2 - (1 - eta / 2) * 2 - eta) == 0
    etas = [Fraction(k, 25) for k in range(1, 25)]
    bind(statement, [*((BrokenProperty(eta), eta) for eta in etas), (BrokenProperty(-HALF), -1)])
    assert all(statement.at(BrokenProperty(eta)) is Truth.TRUE for eta in (SMALL, HALF, LARGE, *etas))
    assert not statement.strict
    for eta in (SMALL, HALF, LARGE):
        for other in (-eta, 0):
            bind_hypotheses(statement, BrokenProperty(eta), {"eta > 0": BrokenProperty(other)})


@lemma_1.controls("property-after-a-row", grade="symbolic", region="a negative eta; a gap of 2 eta")
def test_a_property_that_is_kept_is_noticed(statement) -> None:
    assert statement.without("eta > 0").at(BrokenProperty(-HALF)) is Truth.FALSE
    farther = statement.nudged(margin=lambda p: statement.formula(p) - 2 * arb(p.eta.numerator) / p.eta.denominator)
    assert farther.at(BrokenProperty(HALF)) is Truth.FALSE

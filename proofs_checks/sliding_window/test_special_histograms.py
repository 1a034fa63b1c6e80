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
from dpmatrix.spec.sliding_window.special_histograms import EmbeddedWindow, Insertion
from dpmatrix.spec.sliding_window.update_lemmas import ExactRun, exact_structure

lemma_1 = cite("sliding-window.lemma-1@00acf8ac")

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


@lemma_1.refutes("order-under-noise", grade="symbolic", region="rows 1, 1, W = 2, three eta: every S~_1 below 2")
def test_noise_breaks_the_order(statement) -> None:
    """(4) allows S~_1 from 2 (1 - eta/4) on, and A_W'A_W = S_1 = 2."""
    values = []
    for eta, k in product((SMALL, HALF, LARGE), range(-4, 5)):
        p = line((1, 1), 2, eta)
        near = (fmpq_mat([[2 + fmpq(k, 8) * fmpq(eta.numerator, eta.denominator)]]), p.matrices[1])
        values.append((attrs.evolve(p, approximations=near), 0 if k >= 0 else -1))
    bind(statement, values)
    for p, value in values:
        assert statement.at(p) is (Truth.TRUE if value == 0 else Truth.FALSE)
    heavy = line((0, 1), 1, HALF)
    heavy = attrs.evolve(heavy, window=2, approximations=(fmpq_mat([[1]]), fmpq_mat([[fmpq(9, 8)]])))
    assert statement.at(heavy) is Truth.FALSE, "S~_2 = 9/8 is above A_W'A_W = 1"
    assert statement.at(attrs.evolve(line((1,), 1, HALF))) is Truth.TRUE, "a structure of one matrix"
    assert not statement.strict
    inside = values[0][0]
    outside = {
        "eta > 0": attrs.evolve(inside, eta=0),
        "eta < 1": attrs.evolve(inside, eta=1),
        "symmetric d x d matrices S_i and S~_i for each stamp": attrs.evolve(inside, approximations=()),
        "(4): S~_i is an eta/4 approximation of S_i": attrs.evolve(inside, approximations=(inside.matrices[1],) * 2),
        "the spectral histogram property, as read": attrs.evolve(inside, stamps=(2, 3)),
    }
    for point in (inside, values[-1][0], heavy):
        bind_hypotheses(statement, point, outside)


@lemma_1.refutes(
    "property-after-a-row", grade="symbolic", region="all rows of 0, 1, 2, T = 3, eta = 1/2: 3/4 K_1 <= K_3"
)
def test_a_row_may_break_the_property(statement) -> None:
    """Three checkpoints have no triple that is asked; with the fourth the first and the third are compared."""
    values = []
    for *rows, added in product((0, 1, 2), repeat=4):
        last = rows[2] ** 2 + added**2
        close = 3 * (rows[0] ** 2 + rows[1] ** 2 + last) <= 4 * last
        values.append((Insertion(line(rows, 9, HALF), fmpq_mat([[added]])), -1 if close else 0))
        structure = line(rows, 9, HALF)
        matrices = tuple(fmpq_mat([[matrix[0, 0] + 2]]) for matrix in structure.matrices)
        raised = attrs.evolve(structure, matrices=matrices, approximations=matrices, floor=2)
        close = 3 * (rows[0] ** 2 + rows[1] ** 2 + last + 2) <= 4 * (last + 2)
        values.append((Insertion(raised, fmpq_mat([[added]])), -1 if close else 0))
    bind(statement, values)
    found = {statement.at(p) for p, _ in values}
    assert found == {Truth.TRUE, Truth.FALSE}
    broken = Insertion(line((0, 0, 1), 9, HALF), fmpq_mat([[1]]))
    assert statement.at(broken) is Truth.FALSE
    assert not statement.strict
    structure = broken.structure
    outside = {
        "0 < eta < 1": attrs.evolve(broken, structure=attrs.evolve(structure, eta=1)),
        "the approximate property, as read, before the row": attrs.evolve(
            broken, structure=attrs.evolve(structure, stamps=(1, 2, 4))
        ),
    }
    for inside in (broken, *(Insertion(line((0, 0, 1), 9, eta), fmpq_mat([[1]])) for eta in (SMALL, LARGE))):
        bind_hypotheses(statement, inside, outside)
    assert statement.applies(attrs.evolve(broken, structure=attrs.evolve(structure, eta=0))) is Truth.FALSE

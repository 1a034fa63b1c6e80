"""Definition 6: what it means that an output is close to the top eigenvector, and what the words leave open."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import equality
from dpmatrix.spec.common.spectra import disagreement, identity, nonnegative_spectrum, trace


@attrs.frozen
class TopVectorOutput:
    """A data set, two admissible choices of its top eigenvector, and the law of an algorithm's output.

    Parameters
    ----------
    data
        Rational d x n matrix whose columns are the records.
    top, other_top
        Rational d x 1 matrices: two unit eigenvectors of XX'/n for its largest eigenvalue.
    outputs
        Unit vectors that the algorithm puts out, each with its probability.
    rho, eta
        Parameters of the definition.
    """

    data: fmpq_mat
    top: fmpq_mat
    other_top: fmpq_mat
    outputs: tuple[tuple[fmpq_mat, Exact], ...]
    rho: Exact
    eta: Exact


def second_moment(data: fmpq_mat) -> fmpq_mat:
    """``XX'/n``."""
    return data * data.transpose() / fmpq(data.ncols())


def inner(left: fmpq_mat, right: fmpq_mat) -> fmpq:
    """Inner product of two d x 1 matrices."""
    return trace(left.transpose() * right)


def is_close(p: TopVectorOutput, top: fmpq_mat) -> bool:
    """Whether P(<vhat, v> >= rho) >= 1 - eta for the given choice v of the top eigenvector."""
    probability = fmpq(0)
    for vector, weight in p.outputs:
        if inner(vector, top) >= rational(p.rho):
            probability += rational(weight)
    return bool(probability >= 1 - rational(p.eta))


def is_close_up_to_sign(p: TopVectorOutput, top: fmpq_mat) -> bool:
    """Whether P(|<vhat, v>| >= rho) >= 1 - eta for the given choice v of the top eigenvector."""
    probability = fmpq(0)
    for vector, weight in p.outputs:
        if abs(inner(vector, top)) >= rational(p.rho):
            probability += rational(weight)
    return bool(probability >= 1 - rational(p.eta))


def definition_6_margin(p: TopVectorOutput) -> arb:
    """0 when the printed condition is the same for both choices of the top eigenvector, -1 when it is not."""
    return equality(arb(int(is_close(p, p.top))), arb(int(is_close(p, p.other_top))))


def repaired_definition_6_margin(p: TopVectorOutput) -> arb:
    """0 when the condition with |<.,.>| is the same for both choices of the top eigenvector, -1 when it is not."""
    return equality(arb(int(is_close_up_to_sign(p, p.top))), arb(int(is_close_up_to_sign(p, p.other_top))))


def _eigenvector_margin(matrix: fmpq_mat, vector: fmpq_mat) -> arb:
    """Zero when the vector is a unit eigenvector of the largest eigenvalue, negative otherwise."""
    value = inner(vector, matrix * vector)
    largest = nonnegative_spectrum(value * identity(matrix.nrows()) - matrix).min(arb(0))
    return disagreement(matrix * vector, value * vector) - abs(arb(inner(vector, vector) - 1)) + largest


def top_eigenvectors_margin(p: TopVectorOutput) -> arb:
    """Zero exactly when both choices are unit eigenvectors of the largest eigenvalue."""
    matrix = second_moment(p.data)
    return _eigenvector_margin(matrix, p.top) + _eigenvector_margin(matrix, p.other_top)


def output_law_margin(p: TopVectorOutput) -> arb:
    """Zero exactly when the outputs are unit vectors and their probabilities are non-negative with sum 1."""
    mass, fault = fmpq(0), fmpq(0)
    for vector, weight in p.outputs:
        mass += rational(weight)
        fault += abs(inner(vector, vector) - 1) + max(fmpq(0), -rational(weight))
    return -arb(fault + abs(mass - 1))


def simple_top_margin(p: TopVectorOutput) -> arb:
    """Zero exactly when the kernel of lambda_1 I - A has dimension 1."""
    matrix = second_moment(p.data)
    value = inner(p.top, matrix * p.top)
    multiplicity = matrix.nrows() - (value * identity(matrix.nrows()) - matrix).rank()
    return -arb(abs(multiplicity - 1))


CHOICES = (
    Condition("v and v' are unit eigenvectors of the largest eigenvalue of XX'/n", top_eigenvectors_margin),
    Condition("the output is a random unit vector", output_law_margin),
)

DEFINITION_6 = Claim(
    id="wishart.definition-6",
    kind=Kind.DEFINITION,
    source=Locator("wishart", "Definition 6", "for all data sets of n points, P(<vhat_1, v_1> >= rho) >= 1 - eta"),
    statement=Statement(
        "whether P(<vhat_1, v_1> >= rho) >= 1 - eta does not depend on which top eigenvector is called v_1",
        definition_6_margin,
        given=CHOICES,
    ),
    verdict=Verdict.ILL_POSED,
    reading=(
        "(rho, eta)-close approximation: P(|<vhat_1, v_1>| >= rho) >= 1 - eta for every data set of n points with "
        "lambda_1 > lambda_2, where 0 < rho <= 1 and 0 < eta < 1. Algorithms are judged on data sets, so a sample size "
        "that depends on the eigenvalues restricts the data sets further."
    ),
    because=(
        "An eigenvector is determined up to its sign: an algorithm that returns v_1 exactly is close for v_1 and not "
        "close for -v_1, and one that returns either with probability 1/2 is close for neither when eta < 1/2, however "
        "exact it is. With 'for all data sets' the definition also covers lambda_1 = lambda_2, where v_1 is any vector "
        "of a plane: records e_1, e_2, output e_1. The definition that the document takes over has the absolute value."
    ),
    repair=Repair(
        "|<vhat_1, v_1>| in place of <vhat_1, v_1>, and only data sets with lambda_1 > lambda_2",
        Statement(
            "whether P(|<vhat_1, v_1>| >= rho) >= 1 - eta does not depend on which top eigenvector is called v_1",
            repaired_definition_6_margin,
            given=(*CHOICES, Condition("lambda_1 > lambda_2", simple_top_margin)),
        ),
    ),
)

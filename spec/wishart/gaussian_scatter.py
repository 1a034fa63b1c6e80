"""A Wishart matrix as a sum of outer products of Gaussian vectors (section 1)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.spec.common.conditions import equality, exceeds, whole
from dpmatrix.spec.common.spectra import disagreement


@attrs.frozen
class Transform:
    """Arguments of the transform ``E exp(-tr Theta W)``.

    Parameters
    ----------
    vectors
        The number m.
    scale, argument
        C and Theta, d x d rational.
    """

    vectors: int
    scale: fmpq_mat
    argument: fmpq_mat


def leading_minors(matrix: fmpq_mat) -> list[fmpq]:
    """The determinants of the upper left parts."""
    return [
        fmpq_mat(k, k, [matrix[i, j] for i in range(k) for j in range(k)]).det() for k in range(1, matrix.nrows() + 1)
    ]


def tilted_inverse(p: Transform) -> fmpq_mat:
    """``C^-1 + 2 Theta``: the kernel of the density times exp(-tr Theta W) is that of its inverse."""
    return p.scale.inv() + p.argument * 2


def squared_density_transform(p: Transform) -> fmpq:
    """The square of the transform under the density of Definition 2: ``(|C'|/|C|)^m``, C' the tilted scale.

    In the normaliser ``2^(md/2) |C|^(m/2) Gamma_d(m/2)`` the scale has no other place.

    Raises
    ------
    ValueError
        If m <= d - 1, where there is no density, or if C' is not definite, where the mean is infinite.
    """
    tilted = tilted_inverse(p)
    if p.vectors <= p.scale.nrows() - 1 or min(leading_minors(tilted)) <= 0:
        raise ValueError("no density, or no finite mean")
    return (tilted.inv().det() / p.scale.det()) ** p.vectors


def squared_sum_transform(p: Transform) -> fmpq:
    """The square of the transform of the sum: the m-th power of ``E exp(-z'Theta z)^2 = 1/|1 + 2 C Theta|``.

    Raises
    ------
    ValueError
        If C is not symmetric and positive definite: no normal law with a density has it as its covariance.
    """
    if p.scale != p.scale.transpose() or min(leading_minors(p.scale)) <= 0:
        raise ValueError("no covariance of a normal density")
    order = p.scale.nrows()
    unit = fmpq_mat(order, order, [int(i == j) for i in range(order) for j in range(order)])
    return (1 / (unit + p.scale * (p.argument + p.argument.transpose())).det()) ** p.vectors


def transform_margin(p: Transform) -> arb:
    """Minus the distance of the two squares."""
    return equality(arb(squared_density_transform(p) - squared_sum_transform(p)), arb(0))


def symmetric_scale_margin(p: Transform) -> arb:
    """0 exactly when C is symmetric."""
    return disagreement(p.scale, p.scale.transpose())


def definite_scale_margin(p: Transform) -> arb:
    """The least leading minor of C."""
    return arb(min(leading_minors(p.scale)))


def symmetric_argument_margin(p: Transform) -> arb:
    """0 exactly when Theta is symmetric."""
    return disagreement(p.argument, p.argument.transpose())


def finite_margin(p: Transform) -> arb:
    """The least leading minor of ``C^-1 + 2 Theta``."""
    return arb(min(leading_minors(tilted_inverse(p))))


def density_margin(p: Transform) -> arb:
    """``m - (d - 1)``."""
    return arb(p.vectors - p.scale.nrows() + 1)


SCATTER_STEP = Step(
    "scatter-matrix",
    Statement(
        "section 1: for an integer m > d - 1 the sum of zz' over m independent z ~ N(0, C) has the density of W_d(m, "
        "C): both have the same E exp(-tr Theta W)",
        transform_margin,
        given=(
            whole("vectors", 1),
            exceeds("m > d - 1", density_margin),
            Condition("C is symmetric", symmetric_scale_margin),
            exceeds("C is positive definite", definite_scale_margin),
            Condition("Theta is symmetric", symmetric_argument_margin),
            exceeds("C^-1 + 2 Theta is positive definite", finite_margin),
        ),
    ),
    defect=None,
    note="The transform around Theta = 0 determines the law. For m <= d - 1 the sum has no density.",
)

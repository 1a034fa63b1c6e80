"""Algorithm 2 and semidefiniteness: what Wishart input perturbation draws, and where its output lies (section 3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational, square
from dpmatrix.spec.conditions import at_least, at_most, equality, exceeds, positive
from dpmatrix.spec.wishart.points import INPUT_HYPOTHESES


@attrs.frozen
class PositiveDefiniteSum:
    """Data X (d x n), Gaussian factor G (d x m) of W = GG', and a direction u (d x 1); rational."""

    data: fmpq_mat
    factor: fmpq_mat
    direction: fmpq_mat


def quadratic_form_margin(p: PositiveDefiniteSum) -> arb:
    """``u'(XX' + GG')u``, exactly."""
    total = p.data * p.data.transpose() + p.factor * p.factor.transpose()
    return arb(fmpq((p.direction.transpose() * total * p.direction)[0, 0]))


@attrs.frozen
class LaplaceDiagonal:
    """A diagonal entry a in [0, 1] of XX'/n, and the scale of the Laplace noise that it receives."""

    entry: Real
    scale: Real


def negative_diagonal_probability(p: LaplaceDiagonal) -> arb:
    """Pr(a + Lap(b) < 0) = exp(-a/b)/2: the probability of a certainly indefinite output."""
    return (-ball(p.entry) / ball(p.scale)).exp() / 2


PSD_PRESERVATION = Claim(
    id="wishart.psd-preservation",
    kind=Kind.UTILITY,
    source=Locator("wishart", "section 3", "Algorithm 2 keeps the output positive semidefinite; Algorithm 1 does not"),
    statement=Statement("XX'/n + W is positive semidefinite", quadratic_form_margin),
    verdict=Verdict.HOLDS,
    because=(
        "u'(XX' + GG')u = |X'u|^2 + |G'u|^2. This is also what breaks Theorem 4: noise that never leaves the cone "
        "tells neighbours apart at its boundary."
    ),
    steps=(
        Step(
            "laplace-may-leave",
            Statement(
                "Laplace input perturbation leaves the cone with positive probability",
                negative_diagonal_probability,
                given=(at_least("entry", 0), at_most("entry", 1), positive("scale")),
                strict=True,
            ),
            sound=True,
        ),
    ),
)


@attrs.frozen
class WishartRun:
    """What an implementation of Algorithm 2 draws for d, n and epsilon.

    Parameters
    ----------
    dimension, records, epsilon
        The inputs.
    degrees_of_freedom, scale
        m and c of the W_d(m, cI) that it draws.
    norm_bound
        Bound on the Euclidean norm of a record.
    """

    dimension: int
    records: int
    epsilon: Exact
    degrees_of_freedom: int
    scale: Exact
    norm_bound: Exact = 1


def wishart_run_margin(p: WishartRun) -> arb:
    """The degrees of freedom are d + 1 and the scale is 3/(2 n epsilon), exactly."""
    scale = equality(ball(2 * rational(p.scale) * p.records * rational(p.epsilon)), arb(3))
    return scale.min(equality(arb(p.degrees_of_freedom), arb(p.dimension + 1)))


def any_norm_margin(p: WishartRun) -> arb:
    """Scale c minus what the proof of Theorem 4 asks for when records have norms up to R: 3 R^2 / (2 n epsilon)."""
    return ball(p.scale) - 3 * square(ball(p.norm_bound)) / (2 * p.records * ball(p.epsilon))


ALGORITHM_2 = Claim(
    id="wishart.algorithm-2",
    kind=Kind.ALGORITHM,
    source=Locator(
        "wishart", "Algorithm 2", "draw W from W_d(d+1, C), C with d equal eigenvalues 3/(2 n eps); output XX'/n + W"
    ),
    statement=Statement(
        "on any raw data matrix the scale 3/(2 n epsilon) is the one that the proof of Theorem 4 asks for",
        any_norm_margin,
        given=(*INPUT_HYPOTHESES, exceeds("c = 3/(2 n epsilon)", wishart_run_margin, strict=False)),
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    because=(
        "Changed lines: (1) the input must bound |x_i| by 1, as section 2 assumes. (2) Real-valued noise cannot be "
        "published; the release is the correct rounding of the ideal output to a public grid. Equal eigenvalues make "
        "C = cI. It does not keep its promise (Theorem 4): the class asks for an acknowledgement and its releases are "
        "never private."
    ),
    repair=Repair(
        "records of norm at most 1; the output rounded to a grid",
        Statement(
            "the noise is W_d(d + 1, cI) with c = 3/(2 n epsilon)",
            wishart_run_margin,
            instance=True,
            given=(*INPUT_HYPOTHESES, at_most("norm_bound", 1)),
        ),
    ),
)

"""Hoff's sampler in the plane, step by step: how soon a chain has its law (section 6.2)."""

from __future__ import annotations

import attrs
from flint import acb, arb, fmpq

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, positive, whole


@attrs.frozen
class PlaneChain:
    """The sampler for d = 2 and k = 1 from a uniform start.

    Parameters
    ----------
    first, second
        The eigenvalues l_1 and l_2 of A.
    scale
        The number t = n eps/2 of the density exp(t v'Av).
    steps
        How often every coordinate has been drawn.
    """

    first: Exact
    second: Exact
    scale: Exact
    steps: int


@attrs.frozen
class TwoScales(PlaneChain):
    """The same, with a second t."""

    other: Exact


@attrs.frozen
class TwoMatrices(PlaneChain):
    """The same, with the eigenvalues of a second matrix."""

    other_first: Exact
    other_second: Exact


def concentration(p: PlaneChain) -> fmpq:
    """``kappa = t (l_1 - l_2)/2``: of the doubled angle the density is proportional to exp(kappa cos)."""
    return abs(rational(p.scale) * (rational(p.first) - rational(p.second)) / 2)


def distance_from_uniform(kappa: fmpq) -> arb:
    """Total variation distance of the density exp(kappa cos) / (2 pi I_0(kappa)) from the uniform one.

    The density is the larger one for angles of absolute value below a, cos a = log I_0(kappa) / kappa.
    """
    if kappa == 0:
        return arb(0)
    mass = arb(kappa).bessel_i(arb(0))
    edge = (mass.log() / arb(kappa)).acos()
    weight = acb.integral(lambda angle, _: (acb(kappa) * angle.cos()).exp(), 0, edge).real
    return (weight / mass - edge) / arb.pi()


def distance_after(p: PlaneChain) -> arb:
    """Total variation distance of the law after the steps from that of PPCA.

    In the plane the proportions of the other coordinates say nothing, as there is one other: a step draws v_1^2 from
    its law whatever it was, and then fair signs. So one step is enough.
    """
    return arb(0) if p.steps >= 1 else distance_from_uniform(concentration(p))


def slower_margin(p: TwoScales) -> arb:
    """The distance at the second t minus that at the first."""
    return distance_after(attrs.evolve(p, scale=p.other)) - distance_after(p)


def residual_margin(p: TwoMatrices) -> arb:
    """The distance for the first matrix minus that for the second, which is nearer to its best part of rank one."""
    second = PlaneChain(p.other_first, p.other_second, p.scale, p.steps)
    return distance_after(p) - distance_after(second)


def gap_margin(p: PlaneChain) -> arb:
    """``l_1 - l_2``."""
    return arb(rational(p.first) - rational(p.second))


def more_margin(p: TwoScales) -> arb:
    """The second t minus the first."""
    return arb(rational(p.other) - rational(p.scale))


def same_trace_margin(p: TwoMatrices) -> arb:
    """Minus the difference of the traces."""
    traces = rational(p.first) + rational(p.second), rational(p.other_first) + rational(p.other_second)
    return -arb(abs(traces[0] - traces[1]))


def smaller_residual_margin(p: TwoMatrices) -> arb:
    """``|A - A_1|_F`` of the first matrix less that of the second, the lesser eigenvalues."""
    least = (min(rational(a), rational(b)) for a, b in ((p.first, p.second), (p.other_first, p.other_second)))
    first, second = least
    return arb(first - second)


PLANE_STEPS = (
    Step(
        "slower-with-more-records",
        Statement(
            "from a uniform start a chain is farther from its law after any number of steps for larger n",
            slower_margin,
            given=(
                at_least("second", 0),
                Condition("l_1 > l_2", gap_margin, strict=True),
                positive("scale"),
                Condition("the second t is larger", more_margin, strict=True),
                whole("steps", 0),
            ),
            strict=True,
        ),
        sound=False,
        note=(
            "At the start it is so, by farther-from-uniform. How long the chain takes does not follow: for d = 2 and "
            "k = 1 Hoff's sampler has its law after one step, whatever n is. Of the printed data sets it is not judged."
        ),
    ),
    Step(
        "sooner-with-a-small-residual",
        Statement(
            "of two second moments of one trace the chain of the one with the smaller |A - A_k|_F is no farther from "
            "its law after any number of steps",
            residual_margin,
            given=(
                at_least("second", 0),
                at_least("other_second", 0),
                Condition("the traces are the same", same_trace_margin),
                Condition("the second residual is smaller", smaller_residual_margin, strict=True),
                positive("scale"),
                whole("steps", 0),
            ),
        ),
        sound=False,
        note=(
            "From the uniform start of section 6.2. Where all eigenvalues are equal, as far from rank k as can be, the "
            "chain begins in its law; for A = A_k it does not."
        ),
    ),
)

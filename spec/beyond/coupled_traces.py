"""Noise P - Q with traces that are drawn together: its privacy, how it is drawn, and how large it is."""

from __future__ import annotations

import attrs
from flint import acb, arb, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.sensitivity import nuclear_sensitivity
from dpmatrix.spec.beyond.pairs import is_semidefinite, larger_trace, outer, squared_norm
from dpmatrix.spec.common.conditions import equality, exceeds, positive, whole


@attrs.frozen
class CoupledPair:
    """A pair of matrices, and two records that stand for each other.

    Parameters
    ----------
    first, second
        P and Q, rational, shape (d, d).
    v, w
        Records of length d; one is zero where a record is added or removed.
    records
        The public divisor n.
    epsilon
        The stated epsilon.
    """

    first: fmpq_mat
    second: fmpq_mat
    v: tuple[Exact, ...]
    w: tuple[Exact, ...]
    records: int
    epsilon: Real


def coupled_margin(p: CoupledPair) -> arb:
    """``e^eps g(P, Q) - g(P - vv'/n, Q - ww'/n)``, by exponents where both densities live.

    g is exp(-n eps max(tr P, tr Q)) on pairs of semidefinite matrices, and zero elsewhere. Where the second density is
    zero the margin is ``e^eps``; where it is not and the first is, it is -1.
    """
    first, second = p.first - outer(p.v, p.records), p.second - outer(p.w, p.records)
    if not (is_semidefinite(first) and is_semidefinite(second)):
        return ball(p.epsilon).exp()
    if not (is_semidefinite(p.first) and is_semidefinite(p.second)):
        return arb(-1)
    fall = larger_trace(p.first, p.second) - larger_trace(first, second)
    return ball(p.epsilon) * (1 - p.records * fall)


def unit_v_margin(p: CoupledPair) -> arb:
    """``1 - |v|^2``."""
    return 1 - squared_norm(p.v)


def unit_w_margin(p: CoupledPair) -> arb:
    """``1 - |w|^2``."""
    return 1 - squared_norm(p.w)


COUPLED_PRIVACY = Claim(
    id="beyond.coupled-traces-privacy",
    kind=Kind.PRIVACY,
    source=Locator(
        "beyond",
        "Coupled traces, privacy",
        "X'X/n + P - Q, (P, Q) of density proportional to exp(-n eps max(tr P, tr Q)), is (eps, 0)-private",
    ),
    statement=Statement(
        "the density of (P + vv'/n, Q + ww'/n) is nowhere more than e^epsilon times that of (P, Q), for the density "
        "proportional to exp(-n epsilon max(tr P, tr Q)) on semidefinite pairs and records v and w of norm at most 1",
        coupled_margin,
        given=(
            whole("records", 1),
            positive("epsilon"),
            exceeds("|v| <= 1", unit_v_margin, strict=False),
            exceeds("|w| <= 1", unit_w_margin, strict=False),
        ),
    ),
    verdict=Verdict.HOLDS,
    headline="One noise is (epsilon, 0)-private whether a record is replaced, added or removed.",
    because=(
        "Where P - vv'/n and Q - ww'/n are semidefinite, so are P and Q, and the larger trace falls by at most "
        "max(|v|^2, |w|^2)/n, at most 1/n. Neighbours' matrices differ by (vv' - ww')/n, so the outputs on both are "
        "one function of the pairs (P + vv'/n, Q + ww'/n) and (P, Q), and the guarantee follows by integration. With w "
        "= 0 or v = 0 it is that for a record that is added or removed."
    ),
    reading="Densities are on pairs of symmetric matrices, with respect to Lebesgue measure; n is public.",
)


@attrs.frozen
class TracesPoint:
    """Order d of two matrices, and the larger and the smaller trace."""

    dimension: int
    larger: Real
    smaller: Real


def triangle(p: TracesPoint) -> int:
    """``D = d (d + 1) / 2``."""
    return p.dimension * (p.dimension + 1) // 2


def drawn_log_density(p: TracesPoint) -> arb:
    """Log density of (M, M U^(1/D)): M gamma of shape 2 D, U uniform; u^(1/D) has the density D v^(D-1)."""
    size, larger, smaller = triangle(p), ball(p.larger), ball(p.smaller)
    gamma = (2 * size - 1) * larger.log() - larger - arb(2 * size).lgamma()
    power = arb(size).log() + (size - 1) * (smaller / larger).log()
    return gamma + power - larger.log()


def total_mass(size: int) -> arb:
    """Integral of (l s)^(D-1) e^(-l) over 0 < s < l, by quadrature over l: the integral over s is l^D / D.

    Beyond the reach R it is the upper incomplete gamma function of 2 D at R, over D.
    """
    reach = 8 * size + 64

    def integrand(x: acb, _analytic: bool) -> acb:
        return x ** (2 * size - 1) * (-x).exp()

    near = acb.integral(integrand, 0, reach).real
    return (near + arb(reach).gamma_upper(2 * size)) / size


def stated_log_density(p: TracesPoint) -> arb:
    """Log of (l s)^(D-1) e^(-l) over its integral for s < l."""
    size, larger, smaller = triangle(p), ball(p.larger), ball(p.smaller)
    return (size - 1) * (larger * smaller).log() - larger - total_mass(size).log()


def traces_margin(p: TracesPoint) -> arb:
    """Minus the distance of the two log densities."""
    return equality(drawn_log_density(p), stated_log_density(p))


def gap_margin(p: TracesPoint) -> arb:
    """``l - s``."""
    return ball(p.larger) - ball(p.smaller)


COUPLED_SAMPLER = Claim(
    id="beyond.coupled-traces-sampler",
    kind=Kind.LEMMA,
    source=Locator(
        "beyond",
        "Coupled traces, sampler",
        "L = M W1/tr W1, S = M e^(-E/D) W2/tr W2 in random order, M = (tr W1 + tr W2)/2, W_i ~ W_d(d+1, I)",
    ),
    statement=Statement(
        "M, gamma of shape 2 D, and M U^(1/D), U uniform, have the joint density of the larger and the smaller trace: "
        "proportional to (l s)^(D-1) e^(-l) for s < l, D = d (d + 1)/2",
        traces_margin,
        given=(whole("dimension", 1), positive("smaller"), exceeds("smaller < larger", gap_margin)),
    ),
    verdict=Verdict.HOLDS,
    because=(
        "W of W_d(d+1, I) has a density proportional to exp(-tr W/2) on the cone, which is homogeneous of degree D: so "
        "tr W/2 is gamma of shape D and independent of the shape W/tr W, whose law is that of every density that "
        "depends on the trace alone. M is a sum of two such gamma variates, independent of both shapes, and e^(-E) is "
        "uniform. A pair of density exp(-max(tr P, tr Q)) has independent shapes of that law, and traces of density "
        "proportional to (p q)^(D-1) exp(-max(p, q)), which a fair coin orders."
    ),
    uses=("wishart.definition-2",),
)


@attrs.frozen
class Order:
    """Order d of the matrices."""

    dimension: int


def shape_square(dimension: int) -> arb:
    """``E tr U^2`` of U = W/tr W: E tr W^2 = m d (m + d + 1) over E (tr W)^2 = k (k + 2), m = d + 1, k = m d."""
    degrees, size = dimension + 1, dimension * (dimension + 1)
    return arb(degrees * dimension * (degrees + dimension + 1)) / (size * (size + 2))


def coupled_mean_square(p: Order) -> arb:
    """``E |P - Q|_F^2`` times (n eps)^2: (E l^2 + E s^2) E tr U^2 - 2 E(l s) tr (E U)^2.

    E l^2 is that of a gamma variate of shape 2 D, the powers of U^(1/D) have means D/(D + 1) and D/(D + 2), and E U is
    the identity over d.
    """
    size = arb(p.dimension * (p.dimension + 1)) / 2
    square = 2 * size * (2 * size + 1)
    return square * ((1 + size / (size + 2)) * shape_square(p.dimension) - 2 * size / (size + 1) / p.dimension)


def symmetrised_mean_square(p: Order) -> arb:
    """``E |W_1 - W_2|_F^2`` times (n eps)^2 at c = s/(2 n eps), s the nuclear sensitivity: 2 d (d+1)^2 (s/2)^2.

    Entries of W have the variances 2 m c^2 on the diagonal and m c^2 beside it: d (d + 1) m c^2 in all, for each.
    """
    scale = nuclear_sensitivity(p.dimension, Adjacency.REPLACE_ONE) / 2
    return 2 * p.dimension * (p.dimension + 1) ** 2 * scale**2


def closed_form(p: Order) -> arb:
    """``2 (d + 1) k^2 (k + 1) / ((k + 2) (k + 4))``, k = d (d + 1)."""
    size = arb(p.dimension * (p.dimension + 1))
    return 2 * (p.dimension + 1) * size**2 * (size + 1) / ((size + 2) * (size + 4))


def less_noise_margin(p: Order) -> arb:
    """The mean square of the symmetrised Wishart noise less that of coupled traces."""
    return symmetrised_mean_square(p) - coupled_mean_square(p)


def closed_form_margin(p: Order) -> arb:
    """Minus the distance of the mean square from its closed form."""
    return equality(coupled_mean_square(p), closed_form(p))


COUPLED_NOISE = Claim(
    id="beyond.coupled-traces-noise",
    kind=Kind.UTILITY,
    source=Locator(
        "beyond",
        "Coupled traces, size",
        "E |P - Q|_F^2 = 2 (d+1) k^2 (k+1) / ((k+2)(k+4) (n eps)^2), k = d(d+1), against 2 d (d+1)^2 / (n eps)^2",
    ),
    statement=Statement(
        "the mean squared Frobenius norm of coupled traces is at most that of the symmetrised Wishart noise that hides "
        "a replaced record",
        less_noise_margin,
        given=(whole("dimension", 1),),
    ),
    verdict=Verdict.HOLDS,
    headline="For a replaced record coupled traces are less noise than two independent Wishart matrices, if d >= 2.",
    because=(
        "For d >= 2 the quotient is k (k + 1) / ((k + 2) (k + 4)), k = d (d + 1): 0.525 at d = 2, and below 1 always. "
        "For d = 1 both are Laplace noise of one scale."
    ),
    steps=(
        Step(
            "closed-form",
            Statement(
                "E |P - Q|_F^2 (n eps)^2 = 2 (d+1) k^2 (k+1) / ((k+2)(k+4)), k = d (d+1)",
                closed_form_margin,
                given=(whole("dimension", 1),),
            ),
            defect=None,
        ),
    ),
    uses=("beyond.coupled-traces-sampler", "wishart.theorem-4+repair"),
)

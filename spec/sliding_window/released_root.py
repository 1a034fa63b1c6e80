"""Theorem 6 for rows of any length: the positive semidefinite root of A_W'A_W, with Gaussian noise.

H = (A_W'A_W)^(1/2) moves by at most sqrt(2) times as much as the window, whatever the length of the rows. The noise N
is symmetric, with independent entries N(0, s^2) above the diagonal and N(0, 2 s^2) on it; for one window s is that of
`dyadic_release` for a single sum.
"""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Exact, ball
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.spec.common.conditions import at_most, below, exceeds, positive, whole
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.sliding_window.combined_costs import stated_error
from dpmatrix.spec.sliding_window.dyadic_release import DyadicRelease, deviation
from dpmatrix.spec.sliding_window.eigenvalue_laws import gaussian_within
from dpmatrix.spec.sliding_window.loewner import are_symmetric, flag, gram, least, precedes_margin, squared_norm


def noise_of_release(windows: int, epsilon: Exact, delta: Exact) -> arb:
    """``s = sqrt(q) (z + sqrt(z^2 + 2 epsilon))/(2 epsilon)``, z = sqrt(2 log(1/delta)), for q windows."""
    return arb(windows).sqrt() * deviation(DyadicRelease(0, 0, epsilon, delta))


@attrs.frozen
class WindowRoots:
    """A window and a neighbour's, and the positive semidefinite roots of their second moments.

    Parameters
    ----------
    first, second
        A and A', of one shape, with d columns.
    root, other
        H and H', d x d.
    """

    first: fmpq_mat
    second: fmpq_mat
    root: fmpq_mat
    other: fmpq_mat


@attrs.frozen
class ReleasedRoots:
    """The windows whose roots are released and in which two streams differ, and the guarantee of all together."""

    windows: tuple[WindowRoots, ...]
    epsilon: Exact
    delta: Exact


def moved(one: WindowRoots) -> fmpq:
    """Sum of the squares by which the entries of H move, over 2 on the diagonal and over 1 above it."""
    change, order = one.root - one.other, one.root.nrows()
    places = ((i, j) for i in range(order) for j in range(i, order))
    return sum((change[i, j] ** 2 / (2 if i == j else 1) for i, j in places), fmpq(0))


def released_margin(p: ReleasedRoots) -> arb:
    """Delta minus the exact profile, at epsilon, of H + N for all these windows."""
    total = sum((moved(one) for one in p.windows), fmpq(0))
    if total == 0:
        return ball(p.delta)
    noise = noise_of_release(len(p.windows), p.epsilon, p.delta)
    return ball(p.delta) - GaussianProfile(arb(total).sqrt(), noise).delta(p.epsilon)


def root_slack(window: fmpq_mat, root: fmpq_mat) -> arb:
    """Non-negative exactly when H is symmetric and positive semidefinite, d x d, and H^2 = A'A."""
    if not are_symmetric((root,), window.ncols()):
        return flag(holds=False)
    return disagreement(root * root, gram(window)).min(precedes_margin(root - root, root))


def roots_margin(p: ReleasedRoots) -> arb:
    """Least `root_slack` of all."""
    pairs = [pair for one in p.windows for pair in ((one.first, one.root), (one.second, one.other))]
    return least([root_slack(window, root) for window, root in pairs] or [flag(holds=False)])


def near_margin(p: ReleasedRoots) -> arb:
    """Least ``1 - |A - A'|_F^2``; -1 unless both windows have one shape."""
    if any((one.first.nrows(), one.first.ncols()) != (one.second.nrows(), one.second.ncols()) for one in p.windows):
        return flag(holds=False)
    return least([arb(1 - squared_norm(one.first - one.second)) for one in p.windows] or [flag(holds=False)])


@attrs.frozen
class RootNoise:
    """Order d of the noise, the number q of windows, the guarantee, the allowed probability of failure and zeta."""

    dimension: int
    windows: int
    epsilon: Exact
    delta: Exact
    beta: Exact
    bound: Exact


def within_probability(p: RootNoise) -> arb:
    """Probability that |N| <= zeta: N/(sqrt(2) s) has entries N(0, 1) on the diagonal and N(0, 1/2) above it."""
    return gaussian_within(
        p.dimension, ball(p.bound) / (arb(2).sqrt() * noise_of_release(p.windows, p.epsilon, p.delta))
    )


def success_asked(p: RootNoise) -> arb:
    """``1 - beta``."""
    return 1 - ball(p.beta)


def least_bound(dimension: int, noise: arb, beta: Exact) -> arb:
    """``2 s (sqrt(d) + sqrt(log(2/beta)))``."""
    return 2 * noise * (arb(dimension).sqrt() + (2 / ball(beta)).log().sqrt())


def bound_margin(p: RootNoise) -> arb:
    """Zeta minus `least_bound`."""
    return ball(p.bound) - least_bound(p.dimension, noise_of_release(p.windows, p.epsilon, p.delta), p.beta)


def smaller_rank(k: int, dimension: int) -> int:
    """``min(k, d - k)``."""
    return min(k, dimension - k)


@attrs.frozen
class RootError:
    """Parameters of the additive error of Theorem 6, and the constant of O()."""

    dimension: int
    k: int
    epsilon: Exact
    delta: Exact
    failure: Exact
    constant: Exact


def attained_margin(p: RootError) -> arb:
    """`stated_error` minus ``2 sqrt(min(k, d - k)) zeta``, zeta the `least_bound` for one window."""
    zeta = least_bound(p.dimension, noise_of_release(1, p.epsilon, p.delta), p.failure)
    return stated_error(p, p.dimension) - 2 * arb(smaller_rank(p.k, p.dimension)).sqrt() * zeta


def proper_margin(p: RootError) -> arb:
    """``d - k``."""
    return arb(p.dimension - p.k)


def moderate_margin(p: RootError) -> arb:
    """``max(1, log(1/delta)) - epsilon``."""
    return arb(1).max(-ball(p.delta).log()) - ball(p.epsilon)


GUARANTEE = (positive("epsilon"), positive("delta"), below("delta", 1))
ROOT_PRIVACY = Step(
    "root-privacy",
    Statement(
        "for rows of any length and q windows with |A - A'|_F <= 1 each, all H + N together are (eps, delta)-DP: H is "
        "the positive semidefinite root of A'A, N symmetric with independent entries N(0, s^2) above the diagonal and "
        "N(0, 2 s^2) on it, s = sqrt(q) (z + sqrt(z^2 + 2 eps))/(2 eps), z = sqrt(2 log(1/delta))",
        released_margin,
        given=(
            exceeds("H and H' are the positive semidefinite roots", roots_margin, strict=False),
            exceeds("|A - A'|_F <= 1 for each window", near_margin, strict=False),
            *GUARANTEE,
        ),
    ),
    defect=None,
    note=(
        "Section 1.1's neighbours differ so in each window that holds the row: A_W, q = 1, at one time, or for all "
        "times the q = h + 1 blocks of 1, 2, 4, ..., 2^h rows. H moves by at most sqrt(2) |A - A'|_F (Araki and "
        "Yamagami 1981)."
    ),
)
ROOT_NOISE = Step(
    "root-noise",
    Statement.of_law(
        "one N of the step `root-privacy` has norm at most zeta = 2 s (sqrt(d) + sqrt(log(2/beta))) with "
        "probability at least 1 - beta",
        within_probability,
        at_least=success_asked,
        given=(
            whole("dimension", 1),
            whole("windows", 1),
            *GUARANTEE,
            positive("beta"),
            below("beta", 1),
            exceeds("zeta >= 2 s (sqrt(d) + sqrt(log(2/beta)))", bound_margin, strict=False),
        ),
    ),
    defect=None,
)
ROOT_ATTAINS = Step(
    "root-attains",
    Statement(
        "for eps <= max(1, log(1/delta)) and delta <= 1/2 the error of the step `root-cost`, 2 sqrt(min(k, d-k)) zeta "
        "with the zeta of the step `root-noise` for q = 1, is at most the theorem's c log(1/delta)/eps sqrt(d log d (k "
        "+ log(1/beta))), with c = 18",
        attained_margin,
        given=(
            whole("k", 1),
            exceeds("k < d", proper_margin),
            positive("epsilon"),
            exceeds("eps <= max(1, log(1/delta))", moderate_margin, strict=False),
            positive("delta"),
            at_most("delta", fmpq(1, 2)),
            positive("failure"),
            below("failure", 1),
        ),
        exists=(Chosen("constant", exhibited=18),),
    ),
    defect=None,
    note=(
        "So one private release attains the bound, for rows of any length, every eta < 1/6 and one constant, with "
        "factor 1 for (1+6 eta)/(1-6 eta)."
    ),
)

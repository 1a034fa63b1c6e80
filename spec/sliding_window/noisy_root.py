"""Theorems 6 and 15 for rows of any length: what the root of A_W'A_W with noise says of projections and directions.

H is any matrix with H'H = A_W'A_W, such as the root of `released_root`, or the roots of the blocks that make the
window, one below the other. Of N only the norm counts.
"""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.common.spectra import disagreement, identity
from dpmatrix.spec.sliding_window.definitions import right_cost
from dpmatrix.spec.sliding_window.dyadic_release import WindowCover, window_fits
from dpmatrix.spec.sliding_window.loewner import flag, gram, precedes_margin, scaled, squared_norm
from dpmatrix.spec.sliding_window.projection_costs import is_projection
from dpmatrix.spec.sliding_window.released_root import smaller_rank


@attrs.frozen
class NoisyRoot:
    """A window, the root of its second moment with noise, a projection that is chosen by it, and any other one.

    Parameters
    ----------
    window
        A_W.
    root, noise
        H and N, of one shape, with d columns.
    chosen, other
        P and X, projections of one rank k.
    bound
        zeta, a bound on the norm of N.
    """

    window: fmpq_mat
    root: fmpq_mat
    noise: fmpq_mat
    chosen: fmpq_mat
    other: fmpq_mat
    bound: Exact


def root_cost_margin(p: NoisyRoot) -> arb:
    """``|A_W(1 - X)|_F + 2 sqrt(min(k, d - k)) zeta - |A_W(1 - P)|_F``."""
    least, cost = (arb(right_cost(p.window, projection)).sqrt() for projection in (p.other, p.chosen))
    return least + 2 * arb(smaller_rank(p.chosen.rank(), p.window.ncols())).sqrt() * ball(p.bound) - cost


def preferred_margin(p: NoisyRoot) -> arb:
    """``|(H + N)(1 - X)|_F^2 - |(H + N)(1 - P)|_F^2``."""
    seen = p.root + p.noise
    return arb(right_cost(seen, p.other) - right_cost(seen, p.chosen))


def one_root_margin(p: NoisyRoot | NoisyDirection) -> arb:
    """Zero exactly when H has d columns and H'H = A_W'A_W."""
    if p.root.ncols() != p.window.ncols():
        return flag(holds=False)
    return disagreement(gram(p.root), gram(p.window))


def same_rank_margin(p: NoisyRoot) -> arb:
    """Zero exactly when P and X are orthogonal projections of one rank."""
    order = p.window.ncols()
    return is_projection(p.chosen, order) + is_projection(p.other, order) + flag(p.chosen.rank() == p.other.rank())


def small_noise_margin(p: NoisyRoot | NoisyDirection) -> arb:
    """Non-negative exactly when N has the shape of H, and norm at most zeta: N'N <= zeta^2, and zeta >= 0."""
    if (p.noise.nrows(), p.noise.ncols()) != (p.root.nrows(), p.root.ncols()):
        return flag(holds=False)
    bound = rational(p.bound)
    return precedes_margin(gram(p.noise), scaled(bound**2, identity(p.noise.ncols()))).min(arb(bound))


@attrs.frozen
class NoisyDirection:
    """A window, the root of its second moment with noise, a direction, and the eta of Theorem 15.

    Parameters
    ----------
    window
        A_W.
    root, noise
        H and N, of one shape, with d columns.
    direction
        x, d x 1.
    bound
        zeta, a bound on the norm of N.
    eta
        eta.
    """

    window: fmpq_mat
    root: fmpq_mat
    noise: fmpq_mat
    direction: fmpq_mat
    bound: Exact
    eta: Exact


def direction_margin(p: NoisyDirection) -> arb:
    """Smaller slack of the two bounds on x'Cx, C = (H + N)'(H + N)/sqrt(1 - eta)."""
    eta, extra = ball(p.eta), 2 * square(ball(p.bound)) / ball(p.eta)
    kept = (1 - eta).sqrt()
    exact, seen = (squared_norm(each * p.direction) for each in (p.window, p.root + p.noise))
    answer = seen / kept
    return (answer - exact + extra).min(exact / (1 - eta) + extra / kept - answer)


def unit_margin(p: NoisyDirection) -> arb:
    """Zero exactly when x is a column with d entries and norm 1."""
    if (p.direction.nrows(), p.direction.ncols()) != (p.window.ncols(), 1):
        return flag(holds=False)
    return -arb(abs(squared_norm(p.direction) - 1))


def blocks_of(p: WindowCover) -> list[range]:
    """Cut a window into blocks of 1, 2, 4, ..., 2^h rows, each the longest that begins where the one before it ends."""
    found, begin = [], p.begin
    while begin < p.end:
        length = 1 << p.height
        while begin % length or begin + length > p.end:
            length //= 2
        found.append(range(begin, begin + length))
        begin += length
    return found


def blocks_margin(p: WindowCover) -> arb:
    """``max(1, 2h)`` minus the number of blocks, when they have the rows of the window in order, each once; else -1."""
    blocks = blocks_of(p)
    if [time for block in blocks for time in block] != list(range(p.begin, p.end)):
        return flag(holds=False)
    return arb(max(1, 2 * p.height) - len(blocks))


ROOT = exceeds("H'H = A_W'A_W", one_root_margin, strict=False)
SMALL_NOISE = exceeds("|N| <= zeta", small_noise_margin, strict=False)

ROOT_COST = Step(
    "root-cost",
    Statement(
        "where H'H = A_W'A_W and |N| <= zeta, a projection P of rank k that is no worse than X of rank k for H + N has "
        "|A_W(1-P)|_F <= |A_W(1-X)|_F + 2 sqrt(min(k, d-k)) zeta",
        root_cost_margin,
        given=(
            ROOT,
            exceeds("P and X are projections of rank k", same_rank_margin, strict=False),
            SMALL_NOISE,
            exceeds("|(H + N)(1-P)|_F <= |(H + N)(1-X)|_F", preferred_margin, strict=False),
        ),
    ),
    defect=None,
    note=(
        "Factor 1 for every eta; X may be the best projection, or the best of any set that P is chosen from. H is the "
        "root of A_W'A_W, or for all times the roots of the blocks that make the window, one below the other: the norm "
        "of p noises is at most sqrt(p) times the largest."
    ),
)
ROOT_BLOCKS = Step(
    "root-blocks",
    Statement(
        "a window of at most 2^h rows is made of at most max(1, 2h) blocks of 1, 2, 4, ..., 2^h rows, each row in one "
        "of them",
        blocks_margin,
        given=(
            whole("height", 0),
            whole("begin", 0),
            exceeds("the window has at most 2^h rows", window_fits, strict=False),
        ),
    ),
    defect=None,
    note=(
        "So for all times zeta is at most sqrt(2h) times the largest norm of the noise of a block, where q = h + 1. No "
        "difference of sums is taken."
    ),
)
LONG_ROWS = Step(
    "rows-of-any-length",
    Statement(
        "rows of any length: where H'H = A_W'A_W, as for theorem-6's step `root-privacy`, and |N| <= zeta, C = (H + "
        "N)'(H + N)/sqrt(1-eta) has |A_W x|^2 - 2 zeta^2/eta <= x'Cx <= |A_W x|^2/(1-eta) + 2 zeta^2/(eta "
        "sqrt(1-eta)) for every unit x",
        direction_margin,
        given=(
            ROOT,
            SMALL_NOISE,
            exceeds("|x| = 1", unit_margin, strict=False),
            positive("eta"),
            below("eta", 1),
        ),
    ),
    defect=None,
    note=(
        "The printed factor under section 1.1's relation. By theorem-6's step `root-noise` zeta^2 is of the order (d + "
        "log(1/beta)) log(1/delta)/eps^2, a product where tau has a sum."
    ),
)

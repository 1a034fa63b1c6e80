"""Entries of Table 1, and those of the theorems that it cites."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.exact import Exact, Real, ball
from dpmatrix.spec.sliding_window.distinguishing import noise_degrees

TASKS = (
    "spectral approximation",
    "principal components",
    "sparse and non-negative components",
    "squared linear regression",
    "directional variance",
)
CITED = (
    "sliding-window.theorem-3",
    "sliding-window.theorem-6",
    "sliding-window.theorem-7",
    "sliding-window.theorem-8",
    "sliding-window.theorem-15",
)
"""Theorems that the rows cite; 'Theorem 34' in the first row stands for Theorems 3 and 4."""


@attrs.frozen
class TableSetting:
    """Parameters of the results, and the factor that O may hide.

    Parameters
    ----------
    window, dimension, rank, target
        W, d, the rank r of the stream and the target rank k.
    eta, epsilon, delta, failure
        eta, the guarantee, and the beta of the theorems.
    factor
        By how much an entry may be below what the theorem states.
    """

    window: int
    dimension: int
    rank: int
    target: int
    eta: Exact
    epsilon: Exact
    delta: Exact
    failure: Real
    factor: Exact = 8


def widened(p: TableSetting) -> arb:
    """``k' = k + log(1/beta)``."""
    return p.target - ball(p.failure).log()


def printed_errors(p: TableSetting) -> tuple[arb, ...]:
    """Second column of the table, every constant 1."""
    level, d, epsilon = -ball(p.delta).log(), arb(p.dimension), ball(p.epsilon)
    spectral = p.rank**2 * level**2 / epsilon**2
    components = (p.target * d).sqrt() * level / epsilon
    linear = d * (d + level / epsilon)
    return spectral, components, components, linear, linear


def stated_errors(p: TableSetting) -> tuple[arb, ...]:
    """Additive errors of Theorems 3, 6, 7, 8 (one response) and 15, every constant 1."""
    level, d, epsilon = -ball(p.delta).log(), arb(p.dimension), ball(p.epsilon)
    tau = noise_degrees(p.dimension, p.epsilon, p.delta)
    return (
        p.rank * level**2 / epsilon**2,
        level / epsilon * (d * d.log() * widened(p)).sqrt(),
        level / epsilon * (widened(p) * d).sqrt(),
        (tau + 1) ** 2 * (tau + 1).log() / epsilon,
        tau * tau.log(),
    )


def printed_spaces(p: TableSetting) -> tuple[arb, ...]:
    """Third column of the table, every constant 1."""
    log, d, eta = arb(p.window).log(), arb(p.dimension), ball(p.eta)
    components = d * p.target**2 / eta**3 * log
    cubic = d**3 / eta * log
    return p.rank**2 * d / eta * log, components, components, cubic, cubic


def stated_spaces(p: TableSetting) -> tuple[arb, ...]:
    """Space of Algorithm 2 with r, and with r = k'/eta, by Theorem 3; of Algorithm 8 for width d + 1 and d."""
    log, d, eta = arb(p.window).log(), arb(p.dimension), ball(p.eta)
    components = d * (widened(p) / eta) ** 2 / eta**2 * log
    return d * p.rank**2 / eta**2 * log, components, components, (d + 1) ** 3 / eta * log, d**3 / eta * log


def quotients(p: TableSetting) -> tuple[arb, ...]:
    """What the theorems have in place of 1: three additive errors, then five spaces, over the table's."""
    d, k, wide, eta = arb(p.dimension), p.target, widened(p), ball(p.eta)
    error = (1 / arb(p.rank), (d.log() * wide / k).sqrt(), (wide / k).sqrt())
    return *error, 1 / eta, wide**2 / (k**2 * eta), wide**2 / (k**2 * eta), ((d + 1) / d) ** 3, arb(1)

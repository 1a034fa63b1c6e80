"""Theorem 5: what a sketch says of one direction, whatever the dimension is (section 4)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import rational
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.sliding_window.loewner import between, flag, squared_norm
from dpmatrix.spec.sliding_window.sketched_stream import SketchedStream, meant, shapes_margin


@attrs.frozen
class QueriedSketch:
    """A run of Algorithm 2, the time stamp of its output and a query.

    Parameters
    ----------
    run
        The stream and the variates.
    stamp
        t_1, counted from 1.
    query
        x, d x 1.
    """

    run: SketchedStream
    stamp: int
    query: fmpq_mat


def variates(p: QueriedSketch) -> fmpq_mat:
    """Phi, and beside it the g of each time from t_1 on as a column."""
    drawn = p.run.coins.tolist()[p.stamp - 1 :]
    return fmpq_mat([*p.run.base.transpose().tolist(), *drawn]).transpose()


def coefficients(p: QueriedSketch) -> fmpq_mat:
    """``(sigma x; A x)`` for the rows A from t_1 on."""
    ridge = rational(p.run.floor) * p.query
    seen = p.run.rows * p.query
    return fmpq_mat([*ridge.tolist(), *seen.tolist()[p.stamp - 1 :]])


def direction_margin(p: QueriedSketch) -> arb:
    """Zero exactly when A~x is `variates` times `coefficients`, and these have squares of sum ``sigma^2 + |Ax|^2``."""
    total = p.run.rows.nrows()
    weights = coefficients(p)
    drawn = disagreement(meant(p.run, p.stamp, total) * p.query, variates(p) * weights)
    energy = (p.query.transpose() * between(p.run.rows, p.stamp, total) * p.query)[0, 0]
    return drawn - arb(abs(squared_norm(weights) - rational(p.run.floor) ** 2 - energy))


def fitting_margin(p: QueriedSketch) -> arb:
    """0 when the run is well formed and the query has length d."""
    fits = (p.query.nrows(), p.query.ncols()) == (p.run.rows.ncols(), 1)
    return shapes_margin(p.run).min(flag(fits))


def unit_margin(p: QueriedSketch) -> arb:
    """Zero exactly when the query has norm 1."""
    return -arb(abs(squared_norm(p.query) - 1))


FREE_ERROR = Step(
    "dimension-free",
    Statement(
        "for one query x and a fixed t_1 the error is free of the dimension: A~x is the sum of the columns of Phi and "
        "of the g' with the coefficients (sigma x; Ax), whose squares add up to sigma^2 + |Ax|^2, and so |A~x|^2 has "
        "the law of (sigma^2 + |Ax|^2)|g|^2",
        direction_margin,
        given=(
            exceeds("Phi, every g and x have the lengths that they should", fitting_margin, strict=False),
            whole("stamp", 1),
            exceeds("|x| = 1", unit_margin, strict=False),
        ),
    ),
    defect=None,
    note="With r = O(log q), sigma and the length of g have no d in them. Theorem 5 prints a factor log d.",
)

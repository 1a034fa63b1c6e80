"""Sections 1 and 1.2: what the approximate spectral histogram property contains, and what keeps or breaks it."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive
from dpmatrix.spec.sliding_window.approximation import EmbeddingPoint, subspace_margin
from dpmatrix.spec.sliding_window.histograms import (
    APPROXIMATE,
    MENDED,
    NEAR_MATRICES,
    Histogram,
    approximate_property_margin,
    has_approximate_property,
    quarter_margin,
    raised,
    window_gram,
)
from dpmatrix.spec.sliding_window.loewner import flag, gram, precedes


def exact(p: Histogram) -> Histogram:
    """Return the same structure with S~_i = S_i."""
    return attrs.evolve(p, approximations=p.matrices)


def relaxed_margin(p: Histogram) -> arb:
    """0 exactly when the structure, with S~_i = S_i, has the approximate property."""
    return approximate_property_margin(exact(p))


def order_margin(p: Histogram) -> arb:
    """0 exactly when S~_2 precedes A_W'A_W, which precedes S~_1."""
    inside, near = window_gram(p), p.approximations
    return flag(precedes(inside, near[0]) and (len(near) == 1 or precedes(near[1], inside)))


@attrs.frozen
class EmbeddedWindow:
    """A window A_W = B C, and an embedding E of the column space of B.

    Parameters
    ----------
    embedding, basis, coefficients
        E (m x W), B (W x k) and C (k x d).
    eta
        E is an embedding with distortion eta/4.
    """

    embedding: fmpq_mat
    basis: fmpq_mat
    coefficients: fmpq_mat
    eta: Exact


def embedded_columns(p: EmbeddedWindow) -> arb:
    """(1 - eta/4) B'B <= B'E'EB <= (1 + eta/4) B'B, as the repair of Definition 5 has it."""
    quarter = rational(p.eta) / 4
    return subspace_margin(EmbeddingPoint(p.embedding, p.basis, p.coefficients, quarter, quarter))


def single_checkpoint(p: EmbeddedWindow) -> Histogram:
    """Return the structure of one checkpoint at the window's start: S_1 = A_W'A_W and S~_1 = A_W'E'E A_W."""
    rows = p.basis * p.coefficients
    near = gram(p.embedding * rows)
    return Histogram(rows, rows.nrows(), (1,), (gram(rows),), p.eta, (near,))


def embedding_margin(p: EmbeddedWindow) -> arb:
    """Margin of (4) where `single_checkpoint` has the approximate property, and -1 elsewhere."""
    structure = single_checkpoint(p)
    return quarter_margin(structure) if has_approximate_property(structure) else flag(holds=False)


@attrs.frozen
class Insertion:
    """A structure with S~_i = S_i, and the next row of the stream, 1 x d."""

    structure: Histogram
    row: fmpq_mat


def inserted(p: Insertion) -> Histogram:
    """Return the structure with the row added to every matrix, and with a checkpoint of its own."""
    before, added = p.structure, gram(p.row)
    matrices = (*(matrix + added for matrix in before.matrices), raised(added, before.floor))
    rows = fmpq_mat([*before.rows.tolist(), *p.row.tolist()])
    stamps = (*before.stamps, rows.nrows())
    return attrs.evolve(before, rows=rows, stamps=stamps, matrices=matrices, approximations=matrices)


def insertion_margin(p: Insertion) -> arb:
    """0 exactly when the approximate property holds after the insertion."""
    return approximate_property_margin(inserted(p))


def eta_margin(p: Insertion) -> arb:
    """Smaller of eta and 1 - eta."""
    eta = ball(p.structure.eta)
    return eta.min(1 - eta)


def before_margin(p: Insertion) -> arb:
    """0 exactly when it holds before."""
    return relaxed_margin(p.structure)


SPECIAL_HISTOGRAMS = (
    Step(
        "relaxes-definition-8",
        Statement(
            "a structure with the spectral histogram property has the approximate one, for S~_i = S_i; both as read",
            relaxed_margin,
            given=(positive("eta"), at_least("floor", 0), MENDED),
        ),
        sound=True,
        note="(1-eta)K_i not<= K_{i+2} gives (1-eta/2)K_i not<= K_{i+2}.",
    ),
    Step(
        "subspace-embedding",
        Statement(
            "a subspace embedding is a special case: if E embeds the columns of A_W with distortion eta/4, the window's"
            " start alone, with S_1 = A_W'A_W and S~_1 = A_W'E'EA_W, has the approximate property as read, and (4)",
            embedding_margin,
            given=(Condition("(1 - eta/4) B'B <= B'E'EB <= (1 + eta/4) B'B", embedded_columns),),
        ),
        sound=True,
    ),
    Step(
        "order-under-noise",
        Statement(
            "item 3 of the exact property withstands noise: with it and (4), S~_2 <= A_W'A_W <= S~_1",
            order_margin,
            given=(positive("eta"), below("eta", 1), NEAR_MATRICES, APPROXIMATE, MENDED),
        ),
        sound=False,
        note="'Not robust to noise': S~_1 may be (1 - eta/4) A_W'A_W.",
    ),
    Step(
        "property-after-a-row",
        Statement(
            "a row that is added to every matrix, and stored, leaves the approximate property as it was",
            insertion_margin,
            given=(
                exceeds("0 < eta < 1", eta_margin),
                Condition("the approximate property, as read, before the row", before_margin),
            ),
        ),
        sound=False,
        note="'May not satisfy', as the document says; Algorithm 1 is what restores it.",
    ),
)

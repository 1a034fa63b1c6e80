"""Sections 1 and 1.2: what the approximate spectral histogram property contains, and what keeps or breaks it."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, exceeds, positive
from dpmatrix.spec.common.spectra import eigenvalues
from dpmatrix.spec.sliding_window.approximation import EmbeddingPoint, subspace_margin
from dpmatrix.spec.sliding_window.histograms import (
    MENDED,
    Histogram,
    approximate_property_margin,
    has_approximate_property,
    quarter_margin,
    raised,
    window_gram,
)
from dpmatrix.spec.sliding_window.loewner import flag, gram, precedes_margin, scaled, squared_norm


def exact(p: Histogram) -> Histogram:
    """Return the same structure with S~_i = S_i."""
    return attrs.evolve(p, approximations=p.matrices)


def relaxed_margin(p: Histogram) -> arb:
    """0 exactly when the structure, with S~_i = S_i, has the approximate property."""
    return approximate_property_margin(exact(p))


@attrs.frozen
class NoisyWindow:
    """The rows of a window, W x d, and the accuracy eta."""

    rows: fmpq_mat
    eta: Exact


def shrunk_checkpoint(p: NoisyWindow) -> Histogram:
    """Return the structure of one checkpoint at the window's start: S_1 = A_W'A_W and S~_1 = (1 - eta/4) S_1."""
    whole_window = gram(p.rows)
    near = scaled(1 - rational(p.eta) / 4, whole_window)
    return Histogram(p.rows, p.rows.nrows(), (1,), (whole_window,), p.eta, (near,))


def order_margin(p: NoisyWindow) -> arb:
    """Largest eigenvalue of A_W'A_W - S~_1 where the structure has the approximate property and (4); -1 elsewhere."""
    structure = shrunk_checkpoint(p)
    if not (has_approximate_property(structure) and quarter_margin(structure) >= 0):
        return flag(holds=False)
    return eigenvalues(window_gram(structure) - structure.approximations[0])[0]


def window_margin(p: NoisyWindow) -> arb:
    """Sum of the squared entries of A_W."""
    return arb(squared_norm(p.rows))


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


@attrs.frozen
class BrokenProperty:
    """The accuracy eta of the structure of all rows 0, 0, 1, for W = 9, to which the row 1 comes."""

    eta: Exact


def three_rows(p: BrokenProperty) -> Histogram:
    """Return the structure with a checkpoint at each of the rows 0, 0, 1."""
    rows = fmpq_mat([[0], [0], [1]])
    matrices = (gram(rows),) * 3
    return Histogram(rows, 9, (1, 2, 3), matrices, p.eta, matrices)


def broken_property_margin(p: BrokenProperty) -> arb:
    """S_3 - (1 - eta/2) S_1 after the row where the property holds before it and not after it; -1 elsewhere."""
    before = three_rows(p)
    after = inserted(Insertion(before, fmpq_mat([[1]])))
    if not has_approximate_property(before) or has_approximate_property(after):
        return flag(holds=False)
    return precedes_margin(scaled(1 - rational(p.eta) / 2, after.matrices[0]), after.matrices[2])


SPECIAL_HISTOGRAMS = (
    Step(
        "relaxes-definition-8",
        Statement(
            "a structure with the spectral histogram property has the approximate one, for S~_i = S_i; both as read",
            relaxed_margin,
            given=(positive("eta"), at_least("floor", 0), MENDED),
        ),
        defect=None,
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
        defect=None,
    ),
    Step(
        "order-under-noise",
        Statement(
            "item 3 of the exact property does not withstand noise: for eta > 0 and A_W != 0, the window's start alone,"
            " with S_1 = A_W'A_W and S~_1 = (1 - eta/4) S_1, has the approximate property as read, and (4), and"
            " A_W'A_W <= S~_1 fails",
            order_margin,
            given=(positive("eta"), exceeds("A_W is not zero", window_margin)),
            strict=True,
        ),
        defect=None,
        note="As the document says: not robust to noise.",
    ),
    Step(
        "property-after-a-row",
        Statement(
            "some row breaks the approximate property: for eta > 0 and W = 9, the structure of all the rows 0, 0, 1"
            " has it, and with the row 1 added to every matrix, and stored, it has not: (1 - eta/2) S_1 <= S_3",
            broken_property_margin,
            given=(positive("eta"),),
        ),
        defect=None,
        note="'May not satisfy', as the document says; Algorithm 1 is what restores it.",
    ),
)

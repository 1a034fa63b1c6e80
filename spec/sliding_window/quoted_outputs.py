"""Appendix A: the form of two outputs that are quoted."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import disagreement, nonnegative_spectrum
from dpmatrix.spec.sliding_window.loewner import gram


@attrs.frozen
class QuotedOutputs:
    """A^, n x d, Phi, m x n, and A'A + N with A = A^ and a d x d matrix N."""

    data: fmpq_mat
    sketch: fmpq_mat
    noise: fmpq_mat


def forms_margin(p: QuotedOutputs) -> arb:
    """Non-negative exactly when A^'Phi'Phi A^ is positive semidefinite and A'A + N symmetric."""
    projected = p.data.transpose() * gram(p.sketch) * p.data
    released = gram(p.data) + p.noise
    skew = disagreement(released, released.transpose())
    return skew if skew < 0 else nonnegative_spectrum(projected)


def symmetric_margin(p: QuotedOutputs) -> arb:
    """Zero exactly when N is symmetric."""
    return disagreement(p.noise, p.noise.transpose())


OUTPUT_FORMS = Step(
    "output-forms",
    Statement(
        "A^'Phi'Phi A^ is positive semidefinite, and A'A + N is symmetric",
        forms_margin,
        given=(exceeds("N is symmetric", symmetric_margin, strict=False),),
    ),
    defect=None,
)

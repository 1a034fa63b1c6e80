"""Section 5: what a private spectral approximation must lose, as the signs of a long row can be read from it.

A row a with entries 1/2 and -1/2 has a'a as its second moment, whose first eigenvector is a itself. Rows that differ in
one entry differ by norm 1, so that no sign may be given away.
"""

from __future__ import annotations

from itertools import product

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, at_most, exceeds, whole
from dpmatrix.spec.common.spectra import identity
from dpmatrix.spec.sliding_window.loewner import are_symmetric, flag, gram, precedes, scaled
from dpmatrix.spec.sliding_window.post_processing import excess


@attrs.frozen
class TabledMoments:
    """A mechanism with finitely many outputs, on the streams of one row with entries 1/2 and -1/2, d/2 of them free.

    Parameters
    ----------
    dimension
        d; the first d/2 entries of the row, rounded down, are 1/2.
    outputs
        Matrices C.
    laws
        For each row, its other entries in lexicographic order with -1/2 first, the probabilities of the outputs.
    eta, error
        Of the accuracy: C is between (1 - eta) a'a - zeta and (1 + eta) a'a + zeta.
    exponential, delta
        e^epsilon and delta; what is private at epsilon = 1 is so for e^epsilon = 3.
    """

    dimension: int
    outputs: tuple[fmpq_mat, ...]
    laws: tuple[tuple[fmpq, ...], ...]
    eta: Exact
    error: Exact
    exponential: fmpq
    delta: fmpq


def free_entries(p: TabledMoments) -> int:
    """``d/2``, rounded up."""
    return (p.dimension + 1) // 2


def signed_rows(p: TabledMoments) -> list[fmpq_mat]:
    """All rows, 1 x d."""
    half, free = fmpq(1, 2), free_entries(p)
    known = [half] * (p.dimension - free)
    return [fmpq_mat([[*known, *signs]]) for signs in product((-half, half), repeat=free)]


def is_right(p: TabledMoments, moment: fmpq_mat, output: fmpq_mat) -> bool:
    """Whether an output is symmetric and has the accuracy for a'a."""
    eta, allowed = rational(p.eta), scaled(p.error, identity(p.dimension))
    return (
        are_symmetric((output,), p.dimension)
        and precedes(scaled(1 - eta, moment) - allowed, output)
        and precedes(output, scaled(1 + eta, moment) + allowed)
    )


def least_error_margin(p: TabledMoments) -> arb:
    """``zeta - d/200``."""
    return arb(rational(p.error) - fmpq(p.dimension, 200))


def table_margin(p: TabledMoments) -> arb:
    """0 when there is a probability law on the outputs for each row."""
    laws = all(len(law) == len(p.outputs) and min(law) >= 0 and sum(law, fmpq(0)) == 1 for law in p.laws)
    return flag(laws and len(p.laws) == 2 ** free_entries(p))


def close_margin(p: TabledMoments) -> arb:
    """Delta minus the largest ``P(S) - e^epsilon Q(S)`` for rows that differ in one entry, by 1."""
    places = range(free_entries(p))
    pairs = [(one, one ^ (1 << place)) for one in range(2 ** len(places)) for place in places]
    return arb(p.delta - max(excess(p.laws[one], p.laws[other], p.exponential) for one, other in pairs))


def right_margin(p: TabledMoments) -> arb:
    """Least probability, over the rows, of an output that is right, minus 9/10."""
    shares = [
        sum((share for share, one in zip(law, p.outputs, strict=True) if is_right(p, gram(row), one)), fmpq(0))
        for row, law in zip(signed_rows(p), p.laws, strict=True)
    ]
    return arb(min(shares) - fmpq(9, 10))


LEAST_ERROR = Step(
    "least-error",
    Statement(
        "an additive error linear in d is the least possible, for rows of any length: at e^eps <= 3, delta <= 1/50 and "
        "eta <= 1/50 an (eps, delta)-private C that is between (1 -+ eta) a'a -+ zeta with probability 9/10, for each "
        "row a with entries 1/2 and -1/2, has zeta >= d/200",
        least_error_margin,
        given=(
            whole("dimension", 2),
            exceeds("there is a law for each row", table_margin, strict=False),
            at_least("eta", 0),
            at_most("eta", fmpq(1, 50)),
            at_least("exponential", 1),
            at_most("exponential", 3),
            at_least("delta", 0),
            at_most("delta", fmpq(1, 50)),
            exceeds("laws of rows that differ in one entry are (eps, delta)-close", close_margin, strict=False),
            exceeds("each law is right with probability 9/10", right_margin, strict=False),
        ),
    ),
    defect=None,
    note="A belief of the document. For rows of norm at most 1 it is false where the window is stored: the release of "
    "theorem-15's repair errs by the order of the root of d. Which power of log(1/delta) is needed is left open.",
)

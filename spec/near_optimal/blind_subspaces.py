"""What an output keeps that is drawn without looking at the data (section 1)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import below, positive
from dpmatrix.spec.near_optimal.data_sets import SPECTRUM, Eigenvalues, captured_by, trace_of


@attrs.frozen
class Blind(Eigenvalues):
    """The same, and a share that is wanted of q_F(V_k)."""

    share: Exact


def blind_utility(p: Eigenvalues) -> fmpq:
    """``(k/d) tr A``: the mean of tr V'AV over uniform V, as each coordinate has the mean square k/d."""
    return fmpq(p.rank, len(p.values)) * trace_of(p)


def blind_margin(p: Blind) -> arb:
    """``share q_F(V_k) - (k/d) tr A``: positive where no look at the data is too little."""
    return arb(rational(p.share) * captured_by(p) - blind_utility(p))


BLIND_STEP = Step(
    "for-every-k",
    Statement(
        "whatever k is, an output that is drawn without looking at the data has less than a given share below 1 of "
        "q_F(V_k), so that records are needed",
        blind_margin,
        given=(*SPECTRUM, positive("share"), below("share", 1)),
        strict=True,
    ),
    sound=False,
    note=(
        "Section 1 says that the number of records depends on d rather than on k. Theorem 8 is for k = 1. It depends "
        "on k too: at k = d none is needed, and where all eigenvalues are equal none is for any k."
    ),
)

"""One published mechanism: where it is from, what it claims, on which inputs, and what is true about it there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from audit.peers.claims import Claims, pure
from dpmatrix.auditing import Target
from dpmatrix.auditing.pairs.own import OwnPairs, own_pairs
from dpmatrix.privacy import Adjacency

FloatArray: TypeAlias = NDArray[np.float64]

REPLACE = Adjacency.REPLACE_ONE
ADD_REMOVE = Adjacency.ADD_REMOVE_ONE


@frozen
class Truth:
    """The least epsilon at the claimed delta, over the inputs of the record.

    Attributes
    ----------
    epsilon
        Infinite where an output of one input is impossible on the other, beyond delta.
    exact
        Whether this is the least epsilon on these inputs; else it is a lower bound.
    how
        By which computation.
    """

    epsilon: float
    exact: bool
    how: str


@frozen(eq=False)
class Input:
    """Two neighbouring data sets, shape (n, d) each."""

    name: str
    data: FloatArray
    neighbour: FloatArray


@frozen(eq=False, kw_only=True)
class Published:
    """A mechanism that others have published, right or faulty, re-implemented from its description.

    Attributes
    ----------
    name
        "family/mechanism".
    source
        The publication and the place in it.
    summary
        What it does, in a line.
    epsilon, delta, relation
        What it claims, at the parameters chosen here.
    domain
        What the inputs may be, in words.
    inputs
        The neighbours on which every auditor is asked, in the order of the publication.
    mechanism
        ``mechanism(data, size, generator)``: independent outputs, as `Target` says.
    fault
        What is wrong, in a line; empty if the claim holds.
    truth
        Computes what is true on the inputs, without a use of the mechanism.
    published_bound
        The greatest lower bound on epsilon that the source reports to have measured, if it does.
    compact
        Makes one number, or two, of an output, for auditors that do not take long ones; None where it is short.
    low_bits
        Whether outputs count to the last bit: a fault is one of floating point, which lies below the resolution of an
        audit of the mathematics, and a right one has none.
    noise_claims
        All that the noise claims by the rule that made it, where delta is not 0 and it is known.
    """

    name: str
    source: str
    summary: str
    epsilon: float
    delta: float = 0.0
    relation: Adjacency = REPLACE
    domain: str
    inputs: tuple[Input, ...]
    mechanism: Target
    fault: str = ""
    truth: Callable[[], Truth]
    published_bound: float | None = None
    compact: Callable[[FloatArray], FloatArray] | None = None
    low_bits: bool = False
    noise_claims: Callable[[], Claims] | None = None

    @property
    def family(self) -> str:
        """The publication, in a word."""
        return self.name.partition("/")[0]

    @property
    def right(self) -> bool:
        """Whether the claim holds."""
        return not self.fault

    def claims(self) -> Claims | None:
        """Return all that the noise claims; None where that is not known."""
        if self.noise_claims is not None:
            return self.noise_claims()
        return None if self.delta else pure(self.epsilon)

    def pairs(self) -> OwnPairs:
        """Return the inputs as an audit takes them."""
        return own_pairs([(one.name, one.data, one.neighbour) for one in self.inputs], self.relation)


def answers(name: str, data: ArrayLike, neighbour: ArrayLike) -> Input:
    """Return neighbours that are one record each, the row of the answers to all queries."""
    rows = [np.asarray(one, dtype=np.float64).reshape(1, -1) for one in (data, neighbour)]
    return Input(name, *rows)

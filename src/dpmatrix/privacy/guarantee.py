"""The guarantee of a release."""

from __future__ import annotations

from fractions import Fraction

from attrs import Attribute, field, frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, fraction
from dpmatrix.privacy.adjacency import Adjacency, replaces


def _epsilon(value: Exact) -> Fraction:
    epsilon = fraction(value, "epsilon")
    if epsilon <= 0:
        raise InvalidParameterError("epsilon", f"{value} is not positive", "pass epsilon > 0")
    return epsilon


def _delta(value: Exact) -> Fraction:
    delta = fraction(value, "delta")
    if not 0 <= delta < 1:
        raise InvalidParameterError("delta", f"{value} is outside [0, 1)", "pass 0 <= delta < 1")
    return delta


def _is_adjacency(_record: object, _attribute: Attribute[Adjacency], value: Adjacency) -> None:
    replaces(value)


@frozen
class PrivacyGuarantee:
    """(epsilon, delta)-differential privacy under an adjacency relation: `wishart.definition-4`.

    Parameters
    ----------
    epsilon
        Bound on the log-ratio of probabilities, positive. Floats are taken as the dyadic rational that they are.
    delta
        Additive slack, in [0, 1).
    adjacency
        Relation between the two data sets that the guarantee compares.

    Raises
    ------
    InvalidParameterError
        If epsilon is not a positive finite number, delta lies outside [0, 1), or the relation is unknown.
    """

    epsilon: Fraction = field(converter=_epsilon)
    delta: Fraction = field(converter=_delta)
    adjacency: Adjacency = field(validator=_is_adjacency)

    @property
    def is_pure(self) -> bool:
        """Whether delta is zero: `wishart.definition-3`."""
        return self.delta == 0

    def implies(self, other: PrivacyGuarantee) -> bool:
        """Whether this guarantee is at least as strong as another by monotonicity alone, under the same relation."""
        return self.adjacency is other.adjacency and self.epsilon <= other.epsilon and self.delta <= other.delta

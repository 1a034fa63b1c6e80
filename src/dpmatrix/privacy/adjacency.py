"""Which data sets count as neighbours."""

from __future__ import annotations

from enum import Enum

from dpmatrix.errors import InvalidParameterError


class Adjacency(Enum):
    """Relation between two data sets that a guarantee must hide.

    A data set is a sequence of records, the rows of a matrix X, each of Euclidean norm at most a public bound. The
    divisor n of a normalised statistic X'X / n is public and fixed, whatever the relation, so that neighbours differ
    in X'X alone. There a removed record and a zero record are the same thing: both add the zero matrix.
    """

    REPLACE_ONE = "replace-one"
    """One record v becomes another record w; X'X changes by vv' - ww'. Either may be the zero record.

    The relation of `wishart.definition-3`.
    """

    ADD_REMOVE_ONE = "add-remove-one"
    """One record v appears or disappears (or: becomes the zero record); X'X changes by vv' or by -vv'."""


def replaces(adjacency: Adjacency) -> bool:
    """Whether a relation replaces a record rather than adding or removing it.

    Raises
    ------
    InvalidParameterError
        If the relation is no member of `Adjacency`.
    """
    if not isinstance(adjacency, Adjacency):
        raise InvalidParameterError("adjacency", f"{adjacency!r} is no relation", "pass a member of Adjacency")
    return adjacency is Adjacency.REPLACE_ONE

"""How few columns the growth conditions allow."""

from __future__ import annotations

import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments.compressed_columns import AllowedColumns, columns_table, loss_bound


def test_the_allowed_numbers_of_columns() -> None:
    assert columns_table() == [AllowedColumns(10**4, 0, 6), AllowedColumns(10**6, 2, 26), AllowedColumns(10**9, 7, 226)]


def test_the_bound_at_two_columns() -> None:
    """At n = 10^4 even two columns cost 3.695 under Theorem 3.5."""
    assert abs(loss_bound(10**4, 2, binary=False) - 3.69536733) < 1e-8


@pytest.mark.parametrize("changes", [{"records": 0}, {"columns": 1.5}])
def test_sizes_are_checked(changes) -> None:
    with pytest.raises(InvalidParameterError):
        loss_bound(**({"records": 10, "columns": 2, "binary": True} | changes))

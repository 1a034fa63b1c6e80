"""Options that say what the records are, and are refused before a file is opened."""

from __future__ import annotations

from fractions import Fraction

from dpmatrix.commands.numbers import read
from dpmatrix.errors import InvalidParameterError

HOW_TO_CHOOSE = (
    "choose it from what the columns mean and not from the records, as the page estimators.html (For a data scientist) "
    "of `dpmatrix documentation` says under `Choosing data_norm without looking at the data`, and pass it; of "
    "normalised records it is 1"
)
"""How a bound is chosen, and the page that says more."""


def norm_bound_of(text: str | None) -> Fraction:
    """Read the bound on the norm of a record, which nothing can choose but its user.

    Raises
    ------
    InvalidParameterError
        If it is missing, or is no number.
    """
    if text is None:
        problem = (
            "it is missing: the public bound on the Euclidean norm of a record, by which the noise is scaled and to "
            "which longer records are shortened"
        )
        raise InvalidParameterError("norm-bound", problem, HOW_TO_CHOOSE)
    return read(text, "norm-bound")


def refuse_header(file: str, *, header: bool | None) -> None:
    """Make sure that nobody speaks of the first line of a file that has no lines.

    Raises
    ------
    InvalidParameterError
        If it is a Parquet file.
    """
    if header is not None and file.endswith(".parquet"):
        said = "--header" if header else "--no-header"
        problem = f"{said} is about line 1 of a CSV file, and a Parquet file names its columns in its schema"
        raise InvalidParameterError("header", problem, f"leave {said} out")

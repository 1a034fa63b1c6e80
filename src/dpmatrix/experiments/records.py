"""Real records for experiments and audits: the insurance data of a user's directory, or a data set of scikit-learn.

The insurance data are CoIL 2000 (UCI 125, P. van der Putten, CC BY 4.0), used by `near-optimal.table-1`.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from dpmatrix.errors import InvalidParameterError

FloatArray: TypeAlias = npt.NDArray[np.float64]

DATA_VARIABLE = "DPMATRIX_DATA"
"""Environment variable that names the directory with the raw files."""

INSURANCE_FILES = {
    "ticdata2000.txt.gz": "449ecb88",
    "ticeval2000.txt.gz": "b2c5e559",
}
"""Files of the insurance data, with the first digits of their sha256; the targets are not used."""

_CATEGORICAL = (0, 3, 4, 5, 43)
"""Columns of MOSTYPE, MGEMLEEF, MOSHOOFD, MGODRK and PWAPART, which hold codes."""

_ATTRIBUTES = 85
_SHRINK = 1.0 - 2.0**-40
"""Keeps every norm at most 1 in exact arithmetic, whatever the last division rounded."""


@frozen(eq=False)
class DataSet:
    """Records in the unit ball.

    Attributes
    ----------
    name
        What the records are, in words.
    records
        Shape (n, d), one record a row, each of Euclidean norm at most 1.
    """

    name: str
    records: FloatArray = field()


def unit_scaled(raw: FloatArray) -> FloatArray:
    """Scale each feature to largest absolute value 1, then all records by one factor into the unit ball.

    No centring; a feature that is zero everywhere is dropped. The factors are taken from the data, as in the
    document's experiments, and are not private.

    Parameters
    ----------
    raw
        Shape (n, d), finite, not all zero.

    Raises
    ------
    InvalidParameterError
        If an entry is not finite or every entry is zero.
    """
    if not np.isfinite(raw).all():
        raise InvalidParameterError("raw", "an entry is not finite", "remove or impute it first")
    kept = raw[:, np.abs(raw).max(axis=0) > 0]
    if kept.size == 0:
        raise InvalidParameterError("raw", "every entry is zero, or no record is given", "pass records")
    scaled = kept / np.abs(kept).max(axis=0)
    shrunk: FloatArray = scaled / np.linalg.norm(scaled, axis=1).max() * _SHRINK
    return shrunk


def untouched(directory: Path, name: str, digits: str, parameter: str = "directory") -> bytes:
    """Return what a raw file holds.

    Parameters
    ----------
    directory, name
        Where it is.
    digits
        With which its sha256 begins.
    parameter
        What the caller calls the directory.

    Raises
    ------
    InvalidParameterError
        If it is missing or altered.
    """
    path = directory / name
    if not path.is_file():
        raise InvalidParameterError(parameter, f"{name} is not in {directory}", "download it from the UCI repository")
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if not digest.startswith(digits):
        raise InvalidParameterError(parameter, f"{name} is altered: it has sha256 {digest}", "use the untouched file")
    return content


def _read(directory: Path, name: str) -> FloatArray:
    content = untouched(directory, name, INSURANCE_FILES[name])
    try:
        table = np.loadtxt(io.BytesIO(gzip.decompress(content)), dtype=np.float64, ndmin=2)
    except (ValueError, OSError, EOFError) as error:
        raise InvalidParameterError(
            "directory", f"{name} is not a numeric table ({error})", "download it again"
        ) from error
    attributes: FloatArray = table[:, :_ATTRIBUTES]
    return attributes


def insurance_records(directory: Path) -> DataSet:
    """Load the insurance data: 9,822 records, the five coded attributes one-hot, d = 150.

    Raises
    ------
    InvalidParameterError
        If a file is missing, altered or not numeric.
    """
    table = np.vstack([_read(directory, name) for name in INSURANCE_FILES])
    coded = [(table[:, [column]] == np.unique(table[:, column])).astype(np.float64) for column in _CATEGORICAL]
    numeric = np.delete(table, _CATEGORICAL, axis=1)
    return DataSet("insurance (CoIL 2000, UCI 125)", unit_scaled(np.hstack([*coded, numeric])))


def bundled_records() -> DataSet:
    """Load the breast-cancer data that scikit-learn ships: 569 records, d = 30."""
    from sklearn.datasets import load_breast_cancer

    return DataSet("breast cancer (bundled with scikit-learn)", unit_scaled(np.asarray(load_breast_cancer().data)))


def real_records(directory: Path | None = None) -> DataSet:
    """Load the insurance data from a directory, or else the bundled data set.

    Parameters
    ----------
    directory
        Where the raw files are. By default the directory named by the environment variable ``DPMATRIX_DATA``; the
        bundled data set is used only where neither names one.

    Raises
    ------
    InvalidParameterError
        If a directory is named and the data are not in it.
    """
    named = directory or (Path(os.environ[DATA_VARIABLE]) if os.environ.get(DATA_VARIABLE) else None)
    return bundled_records() if named is None else insurance_records(named)

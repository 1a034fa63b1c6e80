"""A reader's own records in place of a data set of Figures 3 and 4, scaled as the document scales its data sets."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from attrs import field, frozen
from scipy import sparse

from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments.records import unit_scaled
from dpmatrix.experiments.uci import Experiment
from dpmatrix.files import open_records

LEAST_RECORDS, MOST_COLUMNS = 100, 2000
NAME = "own records"


@frozen(eq=False)
class OwnData:
    """Records of a file, and what names them.

    Attributes
    ----------
    file
        Name of the file, without its folder.
    digest
        The first digits of the sha256 of the numbers, row by row as 64-bit floats.
    header
        Whether the first line of the file names the columns; None where that was not said, and it does not.
    experiment
        The records as the figures use them.
    """

    file: str
    digest: str
    header: bool | None
    experiment: Experiment = field(repr=False)

    def to_json(self) -> dict[str, object]:
        """Return what JSON can hold: no record."""
        rows, columns = self.experiment.records.shape
        sizes = {"records": rows, "columns": columns, "rank": self.experiment.rank}
        return {"file": self.file, "sha256_of_numbers": self.digest, "header": self.header, **sizes}


def read_own(path: Path, rank: int | None, *, header: bool | None = None) -> OwnData:
    """Read records from a CSV or a Parquet file.

    Columns are scaled to largest absolute value 1, then all records by one factor; the factors are taken from the
    data, and nothing that is made of them is private. A column of zeros is dropped.

    Parameters
    ----------
    path
        The file.
    rank
        k, how many directions are looked for.
    header
        Whether the first line of a CSV file names the columns; by default it is a record.

    Raises
    ------
    RecordFileError
        If something in the file is not a finite number.
    InvalidParameterError
        If there are too few records, too many columns, all numbers are zero, or the rank is missing or out of range.
    OSError
        If the file cannot be read.
    """
    if rank is None:
        raise InvalidParameterError("rank", "it is missing for records of your own", "pass the number of directions")
    with open_records(str(path), header=header) as opened:
        blocks = [block.records for block in opened.blocks]
    raw = np.vstack(blocks) if blocks else np.zeros((0, 1))
    if len(raw) < LEAST_RECORDS or raw.shape[1] > MOST_COLUMNS:
        problem = f"it has {len(raw)} records of {raw.shape[1]} numbers"
        remedy = f"pass at least {LEAST_RECORDS} records of at most {MOST_COLUMNS} numbers"
        raise InvalidParameterError("data", problem, remedy)
    if not raw.any():
        raise InvalidParameterError("data", "every number is zero", "pass other records")
    records = sparse.csr_array(unit_scaled(raw))
    if not 1 <= rank < records.shape[1]:
        problem = f"{rank} is not below the number of columns that are not zero, {records.shape[1]}"
        raise InvalidParameterError("rank", problem, "pass a positive number below it")
    digest = hashlib.sha256(np.ascontiguousarray(raw, dtype="<f8").tobytes()).hexdigest()[:16]
    told = f"records of {path.name}, {records.shape[0]} of {records.shape[1]} columns, not a data set of the document"
    return OwnData(path.name, digest, header, Experiment(NAME, records, None, rank, told))

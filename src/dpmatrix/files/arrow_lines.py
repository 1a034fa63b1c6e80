"""Numbers from lines that pyarrow reads, several times as fast: what it does not read for certain is left to others.

Its numbers are the nearest floats, as Python's are. It takes texts for numbers that `csv_records` refuses, and passes
over marks of the encoding, so what it is given holds neither marks nor quotes, and what it found must be finite.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence

import numpy as np

from dpmatrix.files import streams
from dpmatrix.files.streams import LONE_RETURN, MARK
from dpmatrix.mechanisms.protocol import FloatArray

Reader = Callable[[bytes], FloatArray | None]
"""Returns the numbers of whole lines, one row a line, or None."""


def arrow_reader(width: int, chosen: Sequence[int], delimiter: str) -> Reader | None:
    """Return a reader of lines of so many cells, or None where pyarrow is not installed or cannot cut such lines."""
    if not delimiter.isascii():
        return None
    try:
        import pyarrow
        import pyarrow.csv
    except ImportError:
        return None
    names = [str(place) for place in range(width)]
    wanted = [names[place] for place in chosen]
    cutting = pyarrow.csv.ParseOptions(
        delimiter=delimiter,
        quote_char=False,
        double_quote=False,
        escape_char=False,
        newlines_in_values=False,
        ignore_empty_lines=False,
    )
    numbers = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(wanted, pyarrow.float64()),
        include_columns=wanted,
        null_values=[],
        strings_can_be_null=False,
        check_utf8=False,
    )

    def read(lines: bytes) -> FloatArray | None:
        # pyarrow would pass over a mark of the encoding wherever a piece begins with one.
        if lines.startswith(MARK) or b'"' in lines or LONE_RETURN.search(lines) or _may_be_long(lines):
            return None
        # One block, and no threads: a process that has them cannot fork.
        whole = pyarrow.csv.ReadOptions(use_threads=False, column_names=names, block_size=len(lines) + 1)
        try:
            table = pyarrow.csv.read_csv(pyarrow.BufferReader(lines), whole, cutting, numbers)
        except pyarrow.ArrowInvalid:
            return None
        found = np.column_stack([column.to_numpy() for column in table.columns])
        return found if np.isfinite(found).all() else None

    return read


def _may_be_long(lines: bytes) -> bool:
    """Tell whether a line may be longer than others allow: where an end is missing within half of that."""
    half = min(csv.field_size_limit(), streams.LONGEST_LINE - 1) // 2
    return any(lines.find(b"\n", start, start + half) < 0 for start in range(0, len(lines) - half, half))

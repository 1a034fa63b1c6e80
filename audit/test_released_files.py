"""A release from a file is that of all its records: each line counts once, wherever it ends and whoever reads it.

A first line that is published, a record that counts twice where a file is cut, or one that is passed over because its
cells are missing would each break the guarantee, which is of the records that stand in the file. From the same bits
the integers are compared with those of the matrix. Nothing is statistical.
"""

from __future__ import annotations

import csv
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit.released.files import FromKnownBits
from dpmatrix.errors import InvalidParameterError, RecordFileError
from dpmatrix.files import csv_records, open_source, streams
from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.privacy import Adjacency

MECHANISM = LaplaceInputPerturbation(1, norm_bound=64)
FROM_BITS = FromKnownBits(MECHANISM)
published, of_matrix = FROM_BITS.of_file, FROM_BITS.of_matrix
REMOVED = LaplaceInputPerturbation(1, Adjacency.ADD_REMOVE_ONE, norm_bound=64)
RECORDS = np.random.default_rng(3).integers(-999, 1000, (9, 3)) / 32
SECRET = "73519"
READERS = ("numpy", "pyarrow")


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let numpy read lines, or pyarrow those that it takes."""
    if request.param == "numpy":
        monkeypatch.setattr(csv_records, "arrow_reader", lambda *_: None)
    else:
        pytest.importorskip("pyarrow", reason="pyarrow is an extra of its own")
    return str(request.param)


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str | bytes], str]:
    """Write a file of lines, and return its name."""

    def write(text: str | bytes) -> str:
        path = tmp_path / "records.csv"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    return write


def text_of(records: np.ndarray, cell: str = "%r", between: str = ",", end: str = "\n") -> str:
    """Write records as lines."""
    return "".join(between.join(cell % entry for entry in row) + end for row in records.tolist())


def chain_of(error: BaseException) -> list[BaseException]:
    """Return an error with all that it keeps of others, shown or not."""
    found: list[BaseException] = []
    left: list[BaseException | None] = [error]
    while left:
        if (last := left.pop()) is not None and last not in found:
            found.append(last)
            left += [last.__cause__, last.__context__]
    return found


# Each line counts once

FORMS: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": (text_of(RECORDS), {}),
    "named": ("a,b,c\n" + text_of(RECORDS), {"header": True}),
    "asked-for": ("b,x,c,a\n" + text_of(RECORDS[:, [1, 1, 2, 0]]), {"columns": ["a", "b", "3"]}),
    "numbered": (text_of(RECORDS[:, [1, 1, 2, 0]]), {"columns": ["4", "1", "3"]}),
    "not-named": (text_of(RECORDS), {"header": False}),
    "marked": ("\ufeff" + text_of(RECORDS, end="\r\n"), {}),
    "marked-names": ("\ufeffa,b,c\r\n" + text_of(RECORDS, end="\r\n"), {"columns": ["a", "b", "c"]}),
    "quoted": (text_of(RECORDS, '"%r"'), {}),
    "quoted-last": (text_of(RECORDS[:-1]) + text_of(RECORDS[-1:], '"%r"'), {}),
    "quoted-aside": (
        "n,a,b,c\n" + "".join(f'"x, ""y""",{line}\n' for line in text_of(RECORDS).split()),
        {"columns": ["a", "b", "c"]},
    ),
    "returns": (text_of(RECORDS, end="\r"), {}),
    "mixed": (text_of(RECORDS[:4], end="\r\n") + text_of(RECORDS[4:6], end="\r") + text_of(RECORDS[6:]), {}),
    "unended": (text_of(RECORDS).rstrip(), {}),
    "semicolons": (text_of(RECORDS, between=";"), {"delimiter": ";"}),
    "section-signs": (text_of(RECORDS, between="\u00a7"), {"delimiter": "\u00a7"}),
    "spaced": (text_of(RECORDS, " %r "), {"dimension": 3}),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_line_counts_once_wherever_the_file_is_cut(
    monkeypatch: pytest.MonkeyPatch, file: Callable[[str], str], reader: str, form: str
) -> None:
    """In pieces of a byte, of two lines and whole; in one part, in several, and in more than there are lines."""
    text, options = FORMS[form]
    path, expected = file(text), of_matrix(RECORDS)
    for size, lines, cuts in ((1 << 22, 8192, (None, 1, 3, 500)), (40, 3, (None, 2)), (1, 1, (None, 7))):
        monkeypatch.setattr(streams, "PIECE_BYTES", size)
        monkeypatch.setattr(csv_records, "LINES", lines)
        for parts in cuts:
            assert published(path, parts=parts, **options) == expected
    with ThreadPoolExecutor(2) as pool:
        assert published(path, executor=pool, workers=2, **options) == expected
    assert published(file(text_of(RECORDS[1:])), dimension=3) != expected, "control"


def test_a_pipe_is_read_to_its_end_however_slowly_it_gives(reader: str) -> None:
    """Byte by byte, through the standard input too, which stays open."""
    for text, options in ((FORMS["plain"][0], {}), (FORMS["named"][0], {"header": True})):
        for name in ("-", "/dev/fd/{}"):
            source, sink = os.pipe()

            def write(sink: int = sink, text: str = text) -> None:
                for byte in text.encode():
                    os.write(sink, bytes([byte]))
                os.close(sink)

            thread, kept = threading.Thread(target=write), os.dup(0)
            thread.start()
            try:
                os.dup2(source, 0)
                assert published(name.format(source), **options) == of_matrix(RECORDS)
                os.fstat(0)
            finally:
                os.dup2(kept, 0)
                os.close(kept)
                os.close(source)
                thread.join()


def test_what_can_be_read_once_only_is_not_cut(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in ("-", str(tmp_path), str(tmp_path / "pipe")):
        with pytest.raises(InvalidParameterError):
            published(path, parts=2)


def test_the_number_of_records_is_told(file: Callable[[str], str]) -> None:
    """It is published where it is no secret."""
    for parts in (None, 1, 4):
        told: list[int] = []
        with open_source(MECHANISM, file(text_of(RECORDS)), parts=parts) as source:
            MECHANISM.release_blocks(source.read(told.append), 3)
        assert told[-1] == len(RECORDS)
        assert told == sorted(told)


@pytest.mark.parametrize("limit", [16, 33])
def test_a_line_that_is_too_long_is_refused_and_never_read_as_two(
    monkeypatch: pytest.MonkeyPatch, file: Callable[[str], str], reader: str, limit: int
) -> None:
    """Wherever it stands; each half of it would be a record of the right length."""
    for name in ("streams.LONGEST_LINE", "splitting.LONGEST_LINE"):
        monkeypatch.setattr(f"dpmatrix.files.{name}", limit)
    for size in (4, 6, 1 << 22):
        monkeypatch.setattr(streams, "PIECE_BYTES", size)
        for zeros in (limit - 4, limit, 2 * limit):
            line = "1," + "0" * zeros + ",2\n"
            for text in (line, "1,2\n" + line, "1,2\n" * 9 + line, "1,2\n" + line + "3,4\n"):
                with pytest.raises(RecordFileError):
                    published(file(text), columns=["1", "2"], parts=3 if size == 4 else None)
    assert published(file("1,2\n" * 30), parts=5) == of_matrix(np.array([[1.0, 2.0]] * 30)), "control"


# No line is published


FIRST = {
    "words": f"ann {SECRET},HIV",
    "a-mark": f"?,{SECRET}x",
    "a-number": f"0.5,{SECRET}x",
    "quotes": f'"{SECRET} x",1',
    "nothing": ",",
}


@pytest.mark.parametrize("first", FIRST.values(), ids=FIRST)
def test_a_first_line_that_may_be_a_record_is_published_only_where_somebody_says_that_it_is_none(
    file: Callable[[str], str], reader: str, first: str
) -> None:
    path = file(f"{first}\n0.1,0.2\n0.3,0.1\n")
    for parts in (None, 2):
        for options in ({}, {"header": False}, {"columns": ["1", "2"]}, {"dimension": 2}, {"columns": ["2", "1"]}):
            with pytest.raises(RecordFileError) as caught:
                published(path, parts=parts, **options)
            assert not any(SECRET in str(error) + repr(error) for error in chain_of(caught.value))
        with open_source(MECHANISM, path, header=True, parts=parts) as source:
            assert source.columns == tuple(next(csv.reader([first])))
        assert published(path, header=True, parts=parts) == of_matrix(np.array([[0.1, 0.2], [0.3, 0.1]]))


def test_a_first_line_of_numbers_is_a_record_and_its_cells_name_nothing(file: Callable[[str], str]) -> None:
    path, records = file("7,1\n0.5,0.5\n"), np.array([[7, 1], [0.5, 0.5]])
    for parts in (None, 2):
        for options in ({}, {"header": False}, {"columns": ["1", "2"]}, {"dimension": 2}):
            with open_source(MECHANISM, path, parts=parts, **options) as source:
                assert source.columns == ("column 1", "column 2")
            assert published(path, parts=parts, **options) == of_matrix(records)
        assert published(path, header=True, parts=parts) == of_matrix(records[1:])
        assert published(path, columns=["7", "2"], header=True, parts=parts) == of_matrix(records[1:])
        for columns in (["7"], ["x"], ["0"], ["3"], ["1", "1"], ["2", "1", "2"]):
            with pytest.raises(RecordFileError):
                published(path, header=False, columns=columns, parts=parts)
    for text, columns in ((f"ann,{SECRET}\n1,2\n", ["ann", "2"]), (f"{SECRET},ann\n1,2\n", ["1", "ann"])):
        for parts in (None, 2):
            with pytest.raises(RecordFileError) as caught:
                published(file(text), header=False, columns=columns, parts=parts)
            assert SECRET not in str(caught.value)


# No line is passed over

SPOILED = {
    "blank": "",
    "space": " ",
    "tab": "\x0b",
    "cells-of-nothing": ",",
    "a-cell-of-nothing": "1,",
    "one-cell": "1",
    "three-cells": "1,2,3",
    "no-number": "1,nan",
    "infinite": "inf,1",
    "beyond-floats": "1,1e999",
    "a-word": f"1,{SECRET}x",
    "a-word-first": f"{SECRET}x,1",
    "a-comment": "#1,2",
    "a-comment-behind": "1,2#",
    "underscore": "1,1_0",
    "other-digits": "1,\u0661",
    "other-bytes": "1,\udcff",
    "null": "1,2\x00",
    "a-mark": "\ufeff1,2",
    "quotes-of-nothing": '"",1',
    "an-open-quote": f'1,"{SECRET}',
    "both-in-quotes": f'"{SECRET},1"',
    "a-word-in-quotes": f'1,"{SECRET}"x',
    "long": "1," + f"{SECRET}x" * 25_000,
}


@pytest.mark.parametrize("spoiled", SPOILED)
def test_a_line_that_is_no_record_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, file: Callable[[bytes], str], reader: str, spoiled: str
) -> None:
    """Neither passed over nor filled in, first, last and between, and no error holds a cell of it."""
    line, good = SPOILED[spoiled], ["3,4", "5,6", "7,8"]
    for size, place in ((4, 1), (1 << 22, 3), (1 << 22, 0)):
        monkeypatch.setattr(streams, "PIECE_BYTES", size)
        monkeypatch.setattr(csv_records, "LINES", size)
        text = "\n".join([*good[:place], line, *good[place:]]) + "\n"
        if place == 0 and spoiled in ("a-mark", "one-cell", "three-cells"):
            continue
        path = file(text.encode("utf-8", "surrogateescape"))
        for columns, parts in (([], None), (["2", "1"], None), ([], 3)):
            with pytest.raises(RecordFileError) as caught:
                published(path, REMOVED, header=False, columns=columns, dimension=2, parts=parts)
            for error in chain_of(caught.value):
                assert isinstance(error, RecordFileError)
                assert SECRET not in str(error) + repr(error)
            assert caught.value.line == place + 1 or place == 0, "it is not another one"

"""Lines that pyarrow reads: the same numbers bit for bit, the same errors at the same places, and no text more."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dpmatrix.errors import RecordFileError
from dpmatrix.files import csv_records, open_records, streams
from dpmatrix.files.arrow_lines import arrow_reader

pytest.importorskip("pyarrow", reason="pyarrow is an extra of its own")

ODD = "0123456789.eE+-_ \t\x00xnaifNI\x0b\x0c#'/dDfFlL\x1c"


def texts(count: int) -> list[str]:
    """Texts of floats of every size, of more digits than a float has, with one odd character, and of odd ones alone."""
    generator, found = random.Random(1), []
    for _ in range(count):
        number = repr(np.frombuffer(generator.randbytes(8))[0].item())
        place = generator.randrange(len(number) + 1)
        digits = [generator.randrange(10 ** generator.randint(1, 40)) for _ in range(2)]
        found += [
            number,
            number[:place] + generator.choice(ODD) + number[place:],
            f"{digits[0]}.{digits[1]}e{generator.randint(-340, 320)}",
            "".join(generator.choices(ODD, k=generator.randint(0, 6))),
        ]
    return found


def test_a_number_is_the_float_that_python_reads() -> None:
    read = arrow_reader(1, [0], ",")
    assert read is not None
    taken = 0
    for text in texts(2000):
        found = read(f"{text}\n".encode())
        if found is not None:
            taken += 1
            assert "_" not in text
            assert found.tobytes() == np.array([[float(text)]]).tobytes()
    assert taken > 3000


def read_by(monkeypatch, path: str, fast: bool, **options) -> tuple[bytes, tuple[int, ...]] | tuple[str, int | None]:
    """Return the bytes and the shape of the records, or the error."""
    with monkeypatch.context() as patch:
        if not fast:
            patch.setattr(csv_records, "arrow_reader", lambda *_: None)
        try:
            with open_records(path, **options) as source:
                records = np.vstack([np.empty((0, len(source.columns))), *(block.records for block in source.blocks)])
        except RecordFileError as error:
            return str(error), error.line
        return records.tobytes(), records.shape


LINES = ["0.5,0.25", "1e-320,-0.0", " 3 ,4.", "+1,2", "0.1,0.2,0.3", "7", "", " ", ",", "x,1", "1,nan", "1,1e400"]
LINES += ['"1",2', '"1,2"', '1,"2', "1,\udcff", "\ufeff1,2", "1,2\r3,4", "1,1_0", "1,2\x00"]


@pytest.mark.parametrize("piece", [1, 8, 30, 1 << 22])
def test_files_are_read_as_without_it(file, monkeypatch, piece: int) -> None:
    """Whole files with whatever lines, ends of lines, columns and sizes of pieces; most are refused, alike."""
    monkeypatch.setattr(streams, "PIECE_BYTES", piece)
    generator, answers = random.Random(piece), set()
    for _ in range(400):
        good = generator.choices(LINES[:4], k=generator.randint(1, 8))
        lines = [line if generator.random() < 0.85 else generator.choice(LINES) for line in good]
        end = generator.choice(["\n", "\n", "\r\n", "\r"])
        text = end.join(lines) + generator.choice([end, ""])
        path = file(text.encode("utf-8", "surrogateescape"))
        options = {
            "header": generator.choice([True, False, None]),
            "columns": generator.choice([[], ["2"], ["2", "1"]]),
        }
        found = read_by(monkeypatch, path, fast=True, **options)
        assert found == read_by(monkeypatch, path, fast=False, **options)
        answers.add(isinstance(found[0], bytes))
    assert answers == {True, False}


def test_most_files_are_read_by_it_alone(file, monkeypatch) -> None:
    monkeypatch.setattr(streams, "PIECE_BYTES", 1000)
    monkeypatch.setattr(csv_records.CsvReader, "_table", lambda *_: pytest.fail("read by numpy"))
    records = np.random.default_rng(0).standard_normal((500, 4)) * 10.0 ** np.arange(-200, 200, 100)
    for end in ("\n", "\r\n"):
        path = file("name;a;b;c;d" + end + "".join(f"ann;{';'.join(map(repr, row))}{end}" for row in records.tolist()))
        with open_records(path, header=True, columns=["a", "b", "c", "d"], delimiter=";") as source:
            blocks = list(source.blocks)
        assert len(blocks) > 10
        assert np.array_equal(np.vstack([block.records for block in blocks]), records)
        assert [block.line_of(0) for block in blocks[:2]] == [2, 2 + len(blocks[0].records)]


def test_what_is_left_to_others() -> None:
    read = arrow_reader(2, [1], ",")
    assert read is not None
    found = read(b"ann,1\nbob,2")
    assert found is not None
    assert found.tolist() == [[1], [2]]
    for lines in (b"x" * 200_000 + b",1\n", b'"ann",1\n', b"ann,1\rbob,2\n"):
        assert read(lines) is None
    assert arrow_reader(2, [1], "\u00a7") is None


def test_pyarrow_is_told_all_that_it_could_decide_by_itself(monkeypatch) -> None:
    """Nothing is a quote, an escape or missing, one block is read and no thread is begun, whatever its defaults are."""
    import pyarrow.csv

    told = {}

    def recorder(name: str):
        original = getattr(pyarrow.csv, name)

        def build(**options):
            told[name] = options
            return original(**options)

        return build

    for name in ("ParseOptions", "ConvertOptions", "ReadOptions"):
        monkeypatch.setattr(pyarrow.csv, name, recorder(name))
    read = arrow_reader(3, [2, 0], ";")
    assert read is not None
    lines = b"1;x;2\n3;;4\n"
    assert np.array_equal(read(lines), [[2, 1], [4, 3]])
    assert told["ParseOptions"] == {
        "delimiter": ";",
        "quote_char": False,
        "double_quote": False,
        "escape_char": False,
        "newlines_in_values": False,
        "ignore_empty_lines": False,
    }
    assert told["ConvertOptions"] == {
        "column_types": {"2": pyarrow.float64(), "0": pyarrow.float64()},
        "include_columns": ["2", "0"],
        "null_values": [],
        "strings_can_be_null": False,
        "check_utf8": False,
    }
    assert told["ReadOptions"] == {"use_threads": False, "column_names": ["0", "1", "2"], "block_size": len(lines) + 1}


def test_lines_that_may_be_longer_than_others_allow_are_left_to_them(monkeypatch) -> None:
    read = arrow_reader(1, [0], ",")
    assert read is not None
    monkeypatch.setattr(streams, "LONGEST_LINE", 21)
    # Half of 20: a line feed must stand in every stretch of ten bytes.
    assert read(b"123456789\n123456789\n12") is not None
    assert read(b"1234567890\n123\n") is None
    assert read(b"123\n12345\n12345678901234567\n") is None
    # A line may be longer than a half where it lies well.
    assert read(b"12\n12345678901234\n12\n") is not None
    monkeypatch.setattr(streams, "LONGEST_LINE", 20)
    assert read(b"12345678\n1\n") is not None
    assert read(b"123456789\n1\n") is None
    monkeypatch.setattr(streams, "LONGEST_LINE", 1 << 24)
    # As many characters as the limit of the csv module, 131,072, has in a half.
    assert read(b"0" * 65_535 + b"\n" + b"0" * 65_535 + b"\n") is not None
    assert read(b"0" * 65_536 + b"\n" + b"0" * 65_535 + b"\n") is None

"""What the tests of files share."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from dpmatrix.files import csv_records

READERS = ("numpy", "pyarrow") if importlib.util.find_spec("pyarrow") else ("numpy",)


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str | bytes) -> str:
        path = tmp_path / "records.csv"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    return write


@pytest.fixture(params=READERS)
def reader(request, monkeypatch) -> str:
    """Let lines of numbers be read by one of those that are installed, and tell which."""
    if request.param == "numpy":
        monkeypatch.setattr(csv_records, "arrow_reader", lambda *_: None)
    return request.param

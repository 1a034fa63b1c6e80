"""What the tests of files share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str | bytes) -> str:
        path = tmp_path / "records.csv"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    return write

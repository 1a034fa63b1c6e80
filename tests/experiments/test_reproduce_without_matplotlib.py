"""Without matplotlib a figure's numbers are written, and what is missing is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpmatrix import __main__ as command_line
from dpmatrix.commands import reproduce
from dpmatrix.errors import MissingExtraError


def test_the_table_is_written_and_the_picture_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> str:
        raise MissingExtraError("matplotlib", "plots")

    monkeypatch.setattr(reproduce, "drawing", missing)
    result = CliRunner().invoke(command_line.app, ["reproduce", "beyond.least-noise", "--output", str(tmp_path)])
    assert result.exit_code == 0
    said = " ".join(result.stderr.split())
    assert "no picture: matplotlib is not installed; install dpmatrix[plots]" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["beyond.least-noise.csv", "beyond.least-noise.json"]

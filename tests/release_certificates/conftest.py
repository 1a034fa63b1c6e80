"""The command on a release that a test has written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dpmatrix.__main__ import app

Certify = Callable[..., Result]


@pytest.fixture
def certify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Certify:
    """Return a function that writes a record, or bytes, to release.json and runs the command on it."""
    monkeypatch.chdir(tmp_path)

    def run(record: object, *arguments: object) -> Result:
        content = record if isinstance(record, bytes) else json.dumps(record).encode()
        Path("release.json").write_bytes(content)
        return CliRunner().invoke(app, ["certificate", "release.json", *map(str, arguments)])

    return run

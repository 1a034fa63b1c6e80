"""What the failure of an audit prints: all that it found, and the command that repeats it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ITEM = """
import numpy as np

from dpmatrix.auditing import neighbouring_pairs
from dpmatrix.privacy import Adjacency


def without_noise(data, size, generator):
    return np.full(size, np.sum(data**2))


def test_it(audited):
    pairs = neighbouring_pairs(1, 1, Adjacency.REPLACE_ONE)
    result = audited(without_noise, pairs, epsilon=1, training=50, confirmation=200, seed=1)
    assert {}result.violated
"""


@pytest.mark.parametrize(("negation", "failed"), [("not ", True), ("", False)])
def test_a_failed_audit_says_what_it_found(tmp_path: Path, negation: str, failed: bool) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "audit" / "conftest.py").read_text(encoding="utf-8"))
    (tmp_path / "test_item.py").write_text(ITEM.replace("{}", negation))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:dpmatrix", "test_item.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == failed, done.stdout
    said = [
        "(1, 0)-differential privacy is violated, confidence 1 - 1e-09",
        "pair: ",
        "event: ",
        "counts: 200 of 200 on the ",
        "epsilon is at least ",
        "python -m pytest test_item.py::test_it",
    ]
    assert [part for part in said if part in done.stdout] == (said if failed else [])

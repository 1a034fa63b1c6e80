"""The library and its specification work from an installed wheel, away from the checkout."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import dpmatrix.spec
registry = dpmatrix.spec.load()
assert dpmatrix.spec.__file__.startswith(sys.argv[1]), dpmatrix.spec.__file__
assert len(registry) >= 33, len(registry)
assert len(dpmatrix.spec.catalogue().ids) == 163, len(dpmatrix.spec.catalogue().ids)
assert dpmatrix.spec.committed_standings()
from dpmatrix.mechanisms import LaplaceInputPerturbation
assert LaplaceInputPerturbation(1).release([[0.5, 0.5]]).private
from importlib.resources import files
assert (files("dpmatrix") / "py.typed").is_file()
from dpmatrix.claims import Ledger, describe, findings
from dpmatrix.estimators import DPPCA
assert DPPCA().fit([[0.5, 0.5]]).guarantee_.epsilon == 1
from dpmatrix.reporting.html import render
ledger = Ledger((), {}, registry.fingerprints, (), {})
page = render(describe(registry, ledger, ()), ledger, dpmatrix.spec.documents(), (), found=findings(registry))
assert "privacy broken" in page and "</svg>" in page
from dpmatrix.documentation.site import Site
assert 'id="wishart.theorem-4"' in Site.read().files()["wishart.html"]
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def test_wheel_works_away_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    command = [sys.executable, "-c", PROGRAM, str(site)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

"""The library and its specification work from an installed wheel, away from the checkout."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
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
assert len(dpmatrix.spec.catalogue().ids) == 177, len(dpmatrix.spec.catalogue().ids)
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


DOCUMENT = """
import os, subprocess, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from dpmatrix.new_document.projects import make_project
make_project(Path("coins"), "coins", "A lecture on coins")
environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
done = subprocess.run(
    [sys.executable, "-m", "pytest", "audit", "--accept-standings"],
    cwd="coins", env=environment | {"PYTHONPATH": sys.argv[1]}, capture_output=True, text=True,
)
assert done.returncode == 0 and "1 of 1 claims have earned their verdict" in done.stdout, done.stdout + done.stderr
assert "<math" in Path("coins/build/audit/report.html").read_text(encoding="utf-8")
"""
"""Make a project with the installed wheel, and have it judged."""

LICENCE = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
"""The sha256 of the text of the Apache License 2.0 as its authors publish it."""


def built(folder: Path, target: str, pattern: str) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(folder.glob(pattern))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return built(tmp_path_factory.mktemp("wheel"), "wheel", "*.whl")


def test_the_licence_is_the_standard_text_and_travels(wheel: Path, tmp_path: Path) -> None:
    texts = {"checkout": (ROOT / "LICENSE").read_bytes()}
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        texts["wheel"] = archive.read(next(name for name in names if name.endswith(".dist-info/licenses/LICENSE")))
        metadata = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    with tarfile.open(built(tmp_path, "sdist", "*.tar.gz")) as archive:
        held = {name.partition("/")[2]: name for name in archive.getnames()}
        file = archive.extractfile(held["LICENSE"])
        assert file is not None
        texts["sdist"] = file.read()
    assert {name: hashlib.sha256(text).hexdigest() for name, text in texts.items()} == dict.fromkeys(texts, LICENCE)
    assert "License-Expression: Apache-2.0" in metadata
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff", "Makefile"} <= set(held)
    assert not [name for name in held if name.startswith((".git/", ".venv", "build/"))]


def test_wheel_works_away_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    command = [sys.executable, "-c", PROGRAM, str(site)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_document_of_ones_own_is_judged_away_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    command = [sys.executable, "-c", DOCUMENT, str(site)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

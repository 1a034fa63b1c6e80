"""Restamping rewrites the fingerprints of the named claims in every folder that cites, and nothing else."""

from __future__ import annotations

import pytest

from dpmatrix.claims import Implementation
from dpmatrix.reporting.implementations import implementations
from dpmatrix.reporting.restamp import FOLDERS, restamp
from dpmatrix.spec import catalogue

TEXT = """
A = "toy.claim@0"
B = "toy.claim+repair@00112233"
C = "toy.claim/a-step-2@"
D = "toy.claimed@0"
E = "toy.claim"
F = "another toy.claim@0"
"""


@pytest.mark.parametrize("folder", FOLDERS)
def test_restamping(tmp_path, folder) -> None:
    path = tmp_path / folder / "deep" / "module.py"
    path.parent.mkdir(parents=True)
    path.write_text(TEXT)
    assert restamp(tmp_path, {"toy.claim": "89abcdef"}) == {path: 3}
    expected = (
        TEXT.replace('claim@0"\nB', 'claim@89abcdef"\nB').replace("00112233", "89abcdef").replace("2@", "2@89abcdef")
    )
    assert path.read_text() == expected
    before = path.stat().st_mtime_ns
    assert restamp(tmp_path, {"toy.claim": "89abcdef"}) == {}
    assert path.stat().st_mtime_ns == before, "a file without a change is not written"


def test_every_id_of_the_catalogue_can_be_restamped(tmp_path) -> None:
    (tmp_path / "audit").mkdir()
    path = tmp_path / "audit" / "all.py"
    path.write_text("".join(f'"{claim}/step@0"\n' for claim in catalogue().ids))
    assert restamp(tmp_path, dict.fromkeys(catalogue().ids, "1234")) == {path: len(catalogue().ids)}


def test_mechanisms_are_found_in_the_rooms() -> None:
    """Every class that releases something is listed, whether it cites a claim or not."""
    found = implementations(["dpmatrix.mechanisms"])
    assert found == sorted(found, key=lambda implementation: implementation.name)
    assert all(isinstance(implementation, Implementation) for implementation in found)
    assert len({implementation.name for implementation in found}) == len(found) > 0
    assert implementations(["dpmatrix.claims"]) == []

"""Fingerprints that were kept: those of the files that are here, never trusted of others, never read by the gate."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dpmatrix.claims import Registry
from dpmatrix.claims.fingerprint import fingerprint
from dpmatrix.claims.strangers import TRUSTED_BASE
from dpmatrix.reporting import known_fingerprints as kept
from dpmatrix.spec import load

SOURCE = Path(kept.__file__).resolve().parents[1]


def test_what_is_kept_is_what_is_computed() -> None:
    """Where this fails, `python audit/fingerprints.py` writes the file again."""
    assert kept.known_fingerprints(exactly=False) == {claim.id: fingerprint(claim) for claim in load()}


def test_every_file_that_a_fingerprint_depends_on_is_asked() -> None:
    asked = {path.relative_to(SOURCE).as_posix() for path in kept.SOURCES if SOURCE in path.parents}
    assert asked >= {name.partition(".")[2] for name in TRUSTED_BASE} - {"exact"}
    assert {"claims", "exact.py", "errors.py"} <= asked
    assert kept.SOURCES[0] == kept.STANDINGS.parent


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of sources, for which a file was kept."""
    folder = tmp_path / "sources"
    (folder / "part").mkdir(parents=True)
    for name in ("one.py", "part/two.py"):
        (folder / name).write_text("VALUE = 1\n", encoding="utf-8")
    (folder / "notes.txt").write_text("x", encoding="utf-8")
    digest = kept.sources_digest
    monkeypatch.setattr(kept, "sources_digest", lambda: digest((folder,)))
    kept.keep(Registry.of([]), tmp_path / "known.json")
    record = json.loads((tmp_path / "known.json").read_text(encoding="utf-8"))
    (tmp_path / "known.json").write_text(json.dumps(record | {"fingerprints": {"a.b": "00000000"}}), encoding="utf-8")
    return folder


def known(files: Path, *, exactly: bool = True) -> dict[str, str]:
    return dict(kept.known_fingerprints(exactly=exactly, path=files.parent / "known.json"))


def test_the_same_files_have_the_same_fingerprints(files: Path) -> None:
    assert known(files) == {"a.b": "00000000"}
    (files / "notes.txt").write_text("y", encoding="utf-8")
    assert known(files) == {"a.b": "00000000"}, "it is no source"


def edit(files: Path) -> None:
    (files / "part/two.py").write_text("VALUE = 2\n", encoding="utf-8")


def rename(files: Path) -> None:
    (files / "one.py").rename(files / "three.py")


def swap(files: Path) -> None:
    """Move a line from one file to the other: the contents one after the other are the same."""
    (files / "one.py").write_text("VALUE = 1\nVALUE = 1\n", encoding="utf-8")
    (files / "part/two.py").write_text("", encoding="utf-8")


def add(files: Path) -> None:
    (files / "empty.py").write_text("", encoding="utf-8")


@pytest.mark.parametrize("change", [edit, rename, swap, add])
def test_after_a_change_nothing_is_known(files: Path, change) -> None:
    change(files)
    assert known(files) == {}
    assert known(files, exactly=False) == {}


def test_other_versions_count_for_the_accepted_run_alone(files: Path, monkeypatch) -> None:
    monkeypatch.setattr(kept, "computed_with", lambda: "Python 4.0")
    assert known(files) == {}
    assert known(files, exactly=False) == {"a.b": "00000000"}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sources": 1}', "\udcff"])
def test_a_file_that_is_none_is_left_aside(files: Path, text: str) -> None:
    (files.parent / "known.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert known(files) == {}


def test_a_registry_takes_what_it_holds_alone() -> None:
    registry = load()
    name = next(iter(registry.claims))
    registry.fingerprints.take({name: "00000000", "not.a-claim": "1"})
    assert registry.fingerprints[name] == "00000000"
    assert set(registry.fingerprints) == set(registry.claims)


def test_the_gate_computes_them_itself() -> None:
    """Whatever judges a run imports neither the module nor what takes fingerprints from it."""
    users = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if "spec" not in path.relative_to(SOURCE).parts
        and re.search(r"known_fingerprints|fingerprints\.take\(", path.read_text(encoding="utf-8"))
    ]
    assert sorted(users) == ["commands/claims.py", "reporting/known_fingerprints.py"]

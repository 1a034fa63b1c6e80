"""The page about proofs in a kernel names a theorem for the guarantee of each mechanism whose guarantee is pure."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import dpmatrix.documentation
import dpmatrix.mechanisms
from dpmatrix.claims import Grade, Role
from dpmatrix.errors import NotPrivateError
from dpmatrix.kernel.judging import Proofs
from dpmatrix.kernel.sources import FOLDER

ROOT = Path(__file__).resolve().parents[2]
PAGE = Path(inspect.getfile(dpmatrix.documentation)).parent / "pages" / "kernel.md"
WITHOUT = {"StaircaseMechanism"}
"""They have a proof by hand, and the page says so."""
ROW = re.compile(r"^\| `(?P<mechanism>\w+)` \| `(?P<theorem>\w+)` \|$", re.MULTILINE)


def pure_mechanisms() -> Iterator[str]:
    """Yield the public mechanisms that take an epsilon and no delta, and keep a guarantee."""
    for name in dpmatrix.mechanisms.__all__:
        kind = getattr(dpmatrix.mechanisms, name)
        taken = inspect.signature(kind).parameters if inspect.isclass(kind) else ()
        if "epsilon" in taken and "delta" not in taken:
            with suppress(NotPrivateError):
                if kind(epsilon=1).guarantee.is_pure:
                    yield name


def test_each_mechanism_with_a_pure_guarantee_has_a_theorem_about_laws() -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = {row["mechanism"]: row["theorem"] for row in ROW.finditer(text)}
    assert set(named) == set(pure_mechanisms()) - WITHOUT
    assert all(f"with a pure guarantee but `{name}`" in text for name in WITHOUT)
    theorems = Proofs.read(ROOT / FOLDER).theorems
    for name in named.values():
        assert theorems[name].kind is Grade.KERNEL_LAW
        assert theorems[name].role in (Role.SUPPORTS, Role.SUPPORTS_REPAIR)


def test_mechanisms_are_told_apart_by_their_guarantee() -> None:
    pure = set(pure_mechanisms())
    assert "Ppca" in pure
    assert not pure & {"WishartMechanism", "AnalyzeGauss", "PrivateSubspaceRecovery", "GaussianCompression"}

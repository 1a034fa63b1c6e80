"""A small folder of proofs: one law, its instance, and one margin."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from dpmatrix.claims import Registry
from dpmatrix.kernel.certificate import PACKAGES
from dpmatrix.kernel.checking import Compiled, Found
from dpmatrix.kernel.generated import generate
from dpmatrix.kernel.judging import PROJECT, Proofs
from dpmatrix.kernel.refusals import FLAGS
from dpmatrix.kernel.theorems import AXIOMS, TABLE
from dpmatrix.spec import load_with_foundations

CLAIM = "wishart.definition-5"

LAW = """\
(* Doubling gives an even number; any operation that doubles does, and addition is one. *)
Definition doubles (T : Type) (size double : T -> nat) : Prop := forall n, double n = size n + size n.
Section any.
Variable T : Type.
Variables size double : T -> nat.
Hypothesis it_doubles : doubles T size double.
Theorem doubling_is_even : forall n, exists m, double n = m + m.
Proof. intros n. exists (size n). apply it_doubles. Qed.
End any.
Theorem doubling_instance : forall n, exists m, n + n = m + m.
Proof. intros n. apply (doubling_is_even nat (fun n => n) (fun n => n + n)). intros k. reflexivity. Qed.
"""
MARGIN = """\
(* The entrywise l2 norm. *)
From Coq Require Import Reals Psatz.
From DPMatrix.generated Require wishart.
Local Open Scope R_scope.
Theorem definition_5_repaired : wishart.definition_5_repaired.
Proof. intros v w inner Hv Hw Hi Hv1 Hw1. nra. Qed.
"""
TABLES = """
[doubling_is_even]
file = "laws/doubling.v"
kind = "law"
statement = "wishart.definition-5+repair"
role = "supports-repair"
says = "An operation that doubles gives even numbers."
axioms = "none"
instance = "doubling_instance"
"""
SETS = """
none = []
interval = ["ClassicalDedekindReals.sig_forall_dec", "FunctionalExtensionality.functional_extensionality_dep"]
"""
EVEN, NORM = "doubling_is_even", "wishart.definition_5_repaired"


@pytest.fixture(scope="session")
def registry() -> Registry:
    """Return one claim and what it rests on."""
    return Registry.of(load_with_foundations(CLAIM))


@attrs.frozen
class Folder:
    """The files, to be changed before they are read."""

    path: Path

    def write(self, file: str, text: str) -> None:
        """Write a file."""
        (self.path / file).parent.mkdir(exist_ok=True)
        (self.path / file).write_text(text, encoding="utf-8")

    def change(self, file: str, old: str, new: str) -> None:
        """Replace what stands in a file, once or more."""
        text = (self.path / file).read_text(encoding="utf-8")
        assert old in text
        self.write(file, text.replace(old, new))

    def read(self) -> Proofs:
        """Read the proofs."""
        return Proofs.read(self.path)


@pytest.fixture
def folder(tmp_path, registry) -> Folder:
    made = Folder(tmp_path)
    files = {"laws/doubling.v": LAW, "margins/wishart.v": MARGIN, TABLE: TABLES, AXIOMS: SETS, PROJECT: FLAGS}
    for file, text in (files | generate(registry).files() | {PACKAGES: "coq=8.16.1"}).items():
        made.write(file, text)
    return made


REALS = ("ClassicalDedekindReals.sig_forall_dec", "FunctionalExtensionality.functional_extensionality_dep")


@pytest.fixture
def said() -> Compiled:
    """Return what Rocq says of the files as they are, for machines without it."""
    given = "(T : Type) (size double : forall _ : T, nat) (_ : doubles T size double) (n : T)"
    even = f"forall {given}, ex nat (fun m : nat => eq)"
    module = "DPMatrix.laws.doubling"
    found = {
        f"{module}.doubling_is_even": Found(even, "", "1" * 64, ()),
        f"{module}.doubling_instance": Found(
            "forall n : nat, ex nat (fun m : nat => eq)", "", "2" * 64, (), frozenset({f"{module}.doubling_is_even"})
        ),
        "DPMatrix.margins.wishart.definition_5_repaired": Found(NORM, NORM, "3" * 64, REALS),
    }
    seconds = {"laws/doubling.v": 0.5, "margins/wishart.v": 2.0, "generated/wishart.v": 1.0}
    return Compiled(seconds, (), found)

"""What the check of the proofs refuses, each by a change of a folder in which nothing is wrong."""

from __future__ import annotations

import shutil

import attrs
import pytest

from dpmatrix.claims import Condition, Registry, Truth
from dpmatrix.kernel.answers import abstract, answers, assumptions, binders, named_type
from dpmatrix.kernel.certificate import certify, changed
from dpmatrix.kernel.checking import installed
from dpmatrix.kernel.generated import generate
from dpmatrix.kernel.judging import told_by_rocq
from dpmatrix.kernel.refusals import refused, refused_flags
from dpmatrix.kernel.sources import CERTIFICATE, KernelError, Sources
from dpmatrix.kernel.whole import check
from dpmatrix.reporting.theorems import drawn
from tests.kernel.conftest import EVEN, NORM, REALS

rocq = pytest.mark.skipif(not installed(), reason="Rocq is not installed")


@pytest.mark.parametrize(
    "text",
    [
        "Theorem t : False. Proof. Admitted.",
        "Theorem t : False. Proof. admit. Qed.",
        "Theorem t : False. Proof. give_up. Qed.",
        "Obligation 1. Admit Obligations.",
        "Axiom false : False.",
        "Local Axioms (a b : False).",
        "Parameter x : nat.",
        "Parameters x y : nat.",
        "Conjecture c : False.",
        "Module Type T. End T.",
        "Declare Module M : T.",
        "Unset Guard Checking.",
        "Unset Positivity Checking.",
        "Unset  Universe\nChecking.",
        "#[bypass_check(guard)] Fixpoint f (n : nat) : False := f n.",
        "Set Universe Polymorphism.",
        "Variable x : False.",
        "Variables (x y : False).",
        "Hypothesis h : False.",
        "Hypotheses (h k : False).",
        "Context (h : False).",
        "#[local] Context {h : False}.",
        "Section s. Variable x : nat. End s. Variable y : False.",
        "Module m. Variable y : False. End m.",
        'Declare ML Module "evil".',
        'Load "other".',
        "Extraction Inline x.",
    ],
)
def test_words_that_assume_or_turn_off_are_refused(text) -> None:
    assert refused("laws/a.v", text)


@pytest.mark.parametrize(
    "text",
    [
        "(* no Axiom, nothing Admitted. *) Theorem t : True. Proof. exact I. Qed.",
        "Section s. Variable x : nat. Hypothesis h : x = x. Context (k : x = 0). End s.",
        'Lemma l : True. idtac "Admitted. Axiom". exact I. Qed.',
        "Definition axiom_free := 0. Lemma not_admitted : True. Proof. exact I. Qed.",
    ],
)
def test_words_that_only_look_like_them_are_not(text) -> None:
    assert refused("laws/a.v", text) == []


def test_a_comment_hides_no_word_and_a_quote_closes_none() -> None:
    assert refused("a.v", '(* " *) " *) Axiom a : False.')
    assert refused("a.v", "(* (* *) *) Axiom a : False.")
    assert refused("a.v", '(* "*)" *) Axiom a : False.')


def test_options_of_the_project_are_refused() -> None:
    assert refused_flags("-R . DPMatrix\n-arg -type-in-type\n")
    assert refused_flags("-R . DPMatrix\n") == []


def test_nothing_is_wrong_with_the_folder(folder, registry, said) -> None:
    proofs = folder.read()
    assert proofs.objections(registry) == []
    assert told_by_rocq(proofs, said) == {EVEN: [], NORM: []}


def test_a_generated_file_that_differs_from_a_fresh_trace_is_refused(folder, registry) -> None:
    folder.change("generated/wishart.v", "0 <= 2 - (", "0 <= 3 - (")
    assert any("fresh trace" in one for one in folder.read().objections(registry))


def test_a_file_among_the_generated_ones_that_no_trace_gives_is_refused(folder, registry) -> None:
    folder.write("generated/other.v", "Definition x := 0.\n")
    assert any("generated/other.v" in one for one in folder.read().objections(registry))


def test_a_theorem_that_no_table_tells_of_is_refused(folder, registry) -> None:
    folder.change("laws/doubling.v", "End any.", "End any. Theorem another : True. Proof. exact I. Qed.")
    assert any("another is in no table, and nothing uses it" in one for one in folder.read().objections(registry))


def test_a_theorem_that_another_proof_uses_needs_no_table(folder, registry) -> None:
    folder.change("laws/doubling.v", "End any.", "End any. Theorem one : True. Proof. exact I. Qed.")
    folder.write("laws/other.v", "From DPMatrix Require Import doubling. Lemma two : True. Proof. exact one. Qed.")
    assert folder.read().objections(registry) == []


def test_a_table_of_a_theorem_that_there_is_not_is_refused(folder) -> None:
    folder.change("theorems.toml", "[doubling_is_even]", "[doubling_is_odd]")
    with pytest.raises(KernelError, match="states no theorem doubling_is_odd"):
        folder.read()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('says = "An operation that doubles gives even numbers."\n', ""),
        ('kind = "law"', 'kind = "margin"'),
        ('kind = "law"', 'kind = "law"\ngrade = "x"'),
    ],
)
def test_a_table_of_another_form_is_refused(folder, old, new) -> None:
    folder.change("theorems.toml", old, new)
    with pytest.raises(KernelError, match="doubling_is_even"):
        folder.read()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("definition-5+repair", "definition-99", "no statement wishart.definition-99"),
        ('role = "supports-repair"', 'role = "supports"', "does not fit"),
        ('role = "supports-repair"', 'role = "control"', "does not fit"),
        ('axioms = "none"', 'axioms = "any"', "no set of axioms 'any'"),
        ('instance = "doubling_instance"', 'instance = "nothing"', "stated nowhere"),
    ],
)
def test_a_table_that_fits_nothing_is_refused(folder, registry, old, new, words) -> None:
    folder.change("theorems.toml", old, new)
    assert any(words in one for one in folder.read().objections(registry))


@pytest.mark.parametrize(
    "stated",
    [
        "definition_5_repaired : True",
        "definition_5_repaired : wishart.definition_5",
        "other : wishart.definition_5_repaired",
        "definition_5_repaired : False -> wishart.definition_5_repaired",
        "definition_5_repaired (H : False) : wishart.definition_5_repaired",
        "definition_5_repaired : forall x, wishart.definition_5_repaired x",
        "definition_5_repaired : ~ wishart.definition_5_repaired",
    ],
)
def test_a_theorem_about_margins_that_says_something_else_is_refused(folder, stated) -> None:
    folder.change("margins/wishart.v", "definition_5_repaired : wishart.definition_5_repaired", stated)
    with pytest.raises(KernelError, match=r"margins/wishart\.v"):
        folder.read()


def test_a_definition_of_the_same_name_in_front_of_the_generated_one_is_seen(folder, said) -> None:
    name = "DPMatrix.margins.wishart.definition_5_repaired"
    false = attrs.evolve(said.found[name], stated="wishart.wishart.definition_5_repaired")
    assert told_by_rocq(folder.read(), attrs.evolve(said, found=said.found | {name: false}))[NORM]


@pytest.mark.parametrize("name", [EVEN, NORM])
def test_an_axiom_outside_its_set_is_refused(folder, said, name) -> None:
    proofs = folder.read()
    full = proofs.theorems[name].full_name
    more = attrs.evolve(said.found[full], assumed=("Classical_Prop.classic", *said.found[full].assumed))
    found = told_by_rocq(proofs, attrs.evolve(said, found=said.found | {full: more}))
    assert found[name] == [f"assumes Classical_Prop.classic, which is not in the set {proofs.theorems[name].axioms!r}"]


def test_a_theorem_over_abstract_structure_without_an_instance_is_refused(folder, said) -> None:
    folder.change("theorems.toml", 'instance = "doubling_instance"\n', "")
    assert "names no instance" in told_by_rocq(folder.read(), said)[EVEN][0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"uses": frozenset()}, "does not use it"),
        ({"stated": "forall f : forall _ : nat, Prop, True"}, "its instance speaks of any f"),
        ({"stated": ""}, "no instance"),
        ({"assumed": ("a.b",)}, "its instance assumes a.b"),
    ],
)
def test_an_instance_that_shows_nothing_is_refused(folder, said, change, words) -> None:
    name = "DPMatrix.laws.doubling.doubling_instance"
    found = said.found | {name: attrs.evolve(said.found[name], **change)}
    assert any(words in one for one in told_by_rocq(folder.read(), attrs.evolve(said, found=found))[EVEN])


def test_a_source_that_changed_after_the_certificate_is_refused(folder, registry, said) -> None:
    certificate = certify(folder.read(), said, registry, "2026-01-01", "8.16.1")
    assert certificate.objections(folder.read(), EVEN) == []
    folder.change("laws/doubling.v", "(* Doubling", "(* The doubling")
    assert "has changed since the check of 2026-01-01" in certificate.objections(folder.read(), EVEN)[0]
    assert certificate.objections(folder.read(), NORM) == []
    folder.change("generated/wishart.v", "do not edit", "never edit")
    assert "a file that it depends on, has changed" in certificate.objections(folder.read(), NORM)[0]


def test_a_type_or_axioms_that_changed_against_the_certificate_are_refused(folder, registry, said) -> None:
    proofs = folder.read()
    certificate = certify(proofs, said, registry, "2026-01-01", "8.16.1")
    assert changed(certificate, proofs, said) == {EVEN: [], NORM: []}
    name = proofs.theorems[NORM].full_name
    other = attrs.evolve(said.found[name], pin="4" * 64, assumed=REALS[:1])
    found = changed(certificate, proofs, attrs.evolve(said, found=said.found | {name: other}))
    assert found[NORM] == ["its type is not that of the certificate", "its axioms are not those of the certificate"]


def test_a_theorem_that_no_check_has_seen_and_one_that_is_gone_are_refused(folder, registry, said) -> None:
    proofs = folder.read()
    certificate = certify(proofs, said, registry, "2026-01-01", "8.16.1")
    fewer = attrs.evolve(certificate, theorems={NORM: certificate.theorems[NORM]})
    assert fewer.objections(proofs, EVEN) == ["no check has seen it"]
    folder.write("theorems.toml", "")
    assert certificate.strangers(folder.read()) == [f"{CERTIFICATE}: there is no theorem {EVEN}"]


def test_a_certificate_of_another_part_is_refused(folder, registry, said) -> None:
    certificate = certify(folder.read(), said, registry, "2026-01-01", "8.16.1")
    folder.change("theorems.toml", "definition-5+repair", "definition-3")
    folder.change("theorems.toml", "supports-repair", "supports")
    assert "to other statements" in certificate.objections(folder.read(), EVEN)[0]


def test_a_statement_whose_hypotheses_cannot_be_met_is_refused(registry) -> None:
    statement = registry["wishart.definition-5"].repair.statement
    assert {statement.at(one) for one in drawn(statement)} <= {Truth.TRUE, Truth.UNDECIDED}
    never = Condition("v_squared <= -1", lambda p: -1 - p.v_squared)
    with pytest.raises(AssertionError, match="meets the hypotheses"):
        list(drawn(attrs.evolve(statement, given=(*statement.given, never))))


def test_files_that_require_each_other_are_refused() -> None:
    texts = {"laws/a.v": "From DPMatrix Require Import b.", "laws/b.v": "From DPMatrix Require Import a."}
    with pytest.raises(KernelError, match="in a circle"):
        _ = Sources(texts).order


def test_files_come_after_those_that_they_require() -> None:
    texts = {"laws/a.v": "From DPMatrix.matrices Require Import c b.", "matrices/b.v": "", "matrices/c.v": "Require b."}
    assert Sources(texts).order == ("matrices/b.v", "matrices/c.v", "laws/a.v")
    two = {"laws/a.v": "From DPMatrix Require Import b.", "matrices/b.v": "", "samplers/b.v": ""}
    with pytest.raises(KernelError, match="which is"):
        _ = Sources(two).order


def test_answers_of_rocq_are_read() -> None:
    said = (
        "1 goal\n  True\n@@ type x\n@a.x\n     : forall (n : nat), @eq nat n n\n1 goal\n  True\n@@ axioms x\nAxioms:\n"
    )
    told = answers(
        f"{said}b.c : False\n  more\nFetching opaque proofs from disk for Coq.Init\nd.e : True\n1 goal\n@@ \n"
    )
    assert named_type(told["type x"]) == ("a.x", "forall (n : nat), @eq nat n n")
    assert assumptions(told["axioms x"]) == ("b.c", "d.e")
    assert assumptions("Closed under the global context") == ()
    assert assumptions("") == ("nothing that is understood",)
    assert assumptions("Axioms:\nx is assumed to be guarded.")


@pytest.mark.parametrize(
    ("kind", "exists"),
    [
        ("nat", True),
        ("reals.Real.type", True),
        ("ssrnum.Num.RealField.sort R", True),
        ("@order.Order.POrder.sort ssrnum.ring_display (ssrnum.Num.RealClosedField.porderType R)", True),
        ("matrix.matrix (ssrnum.Num.RealField.sort R) d (S O)", True),
        ("eqtype.Equality.sort (fintype.ordinal_eqType n)", True),
        ("forall _ : nat, matrix.matrix (ssrnum.Num.RealField.sort R) d (S O)", True),
        ("forall (_ : nat) (_ : nat), matrix.matrix (ssrnum.Num.RealField.sort R) d d", True),
        ("Type", False),
        ("D", False),
        ("natural", False),
        ("measure.Measurable.type d", False),
        ("forall _ : T, nat", False),
        ("forall (_ : nat) (_ : nat), Prop", False),
        ("forall (_ : nat) (_ : nat), bool", True),
        ("forall _ : nat, T", False),
        ("@order.Order.POrder.sort d T", False),
        ("fintype.Finite.type", False),
    ],
)
def test_what_is_no_number_is_abstract(kind, exists) -> None:
    stated = f"forall (n : nat) (x : {kind}) (_ : lt n n), True"
    assert binders(stated) == [("n", "nat"), ("x", kind), ("_", "lt n n")]
    assert abstract(stated) == ([] if exists else [f"x : {kind}"])


@rocq
def test_rocq_finds_nothing_wrong_with_the_folder_and_what_is_changed_in_it(folder, registry) -> None:
    report = check(folder.path, registry, lambda _: None, against_certificate=False)
    assert report.lines() == []
    assert [len(found.assumed) for found in report.compiled.found.values()] == [0, 2, 0]
    folder.change("margins/wishart.v", "nra.", "lra.")
    folder.change("laws/doubling.v", "double n = size n + size n.", "double n = size n + size n \\/ n = n.")
    wrong = check(folder.path, registry, lambda _: None, against_certificate=False).lines()
    assert any(one.startswith("margins/wishart.v: ") for one in wrong)
    assert any("doubling.v" in one for one in wrong)


@rocq
def test_rocq_tells_of_an_axiom_that_no_word_shows(folder, registry) -> None:
    folder.change("laws/doubling.v", "(* Doubling", "From Coq Require Import Classical.\n(* Doubling")
    folder.change(
        "laws/doubling.v",
        "intros n. exists (size n).",
        "intros n. assert (n = n \\/ n <> n) as _ by apply classic. exists (size n).",
    )
    wrong = check(folder.path, registry, lambda _: None, against_certificate=False).lines()
    assert any("assumes Classical_Prop.classic" in one for one in wrong)


@rocq
def test_a_definition_that_changes_changes_the_pin(folder, registry) -> None:
    before = check(folder.path, registry, lambda _: None, against_certificate=False).compiled.found
    folder.change("laws/doubling.v", "forall n, double n = size n + size n.", "forall n, size n + size n = double n.")
    folder.change("laws/doubling.v", "apply it_doubles", "symmetry. apply it_doubles")
    after = check(folder.path, registry, lambda _: None, against_certificate=False)
    assert after.lines() == []
    changed_names = {name for name, found in after.compiled.found.items() if found.pin != before[name].pin}
    assert changed_names == {"DPMatrix.laws.doubling.doubling_is_even"}


def test_programs_that_are_missing_are_noticed(monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert not installed()


def test_the_generated_text_of_a_claim_does_not_depend_on_the_order_of_claims(registry) -> None:
    backwards = Registry.of(reversed(list(registry)))
    assert generate(registry).propositions.keys() == generate(backwards).propositions.keys()

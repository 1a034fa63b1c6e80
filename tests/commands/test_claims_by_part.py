"""Claims are shown by any name under which they are printed: of a repair, of a step, of a citation with its print."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from dpmatrix.commands.audit import alone
from dpmatrix.commands.help_texts import flowing
from dpmatrix.commands.line import app
from dpmatrix.commands.look_ups import look_ups
from dpmatrix.spec import load_with_foundations

CLAIM = "wishart.theorem-4"


def shown(name: str, *options: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(look_ups, ["claims", name, *options])
    return result.exit_code, result.stdout, " ".join(result.stderr.split())


@pytest.mark.parametrize("part", [f"{CLAIM}+repair", f"{CLAIM}/common-support"])
def test_a_part_is_shown_with_its_claim(part: str) -> None:
    code, page, said = shown(part)
    assert code == 0
    assert page.startswith(f"{CLAIM}  privacy")
    assert f"{part} is shown with its claim, {CLAIM}" in said
    assert shown(part, "--latex")[1] == shown(CLAIM, "--latex")[1]


def test_a_citation_is_shown_and_an_older_one_is_said_to_be_one() -> None:
    now = load_with_foundations(CLAIM).fingerprints[CLAIM]
    code, page, said = shown(f"{CLAIM}@{now}")
    assert (code, page.startswith(f"{CLAIM}  privacy")) == (0, True)
    assert "cited at" not in said
    assert "shown with" not in said
    code, page, said = shown(f"{CLAIM}+repair@00000000")
    assert (code, page.startswith(f"{CLAIM}  privacy")) == (0, True)
    assert f"cited at 00000000; the claim has changed since: it is at {now}" in said


@pytest.mark.parametrize("name", [f"{CLAIM}/nonsense", "wishart.definition-1+repair", "wishart.theorem-44+repair"])
def test_what_is_no_part_of_a_claim_is_refused_as_it_was_written(name: str) -> None:
    code, page, said = shown(name)
    assert code != 0
    assert page == ""
    assert f"no claim '{name}'" in said


def test_the_name_of_an_item_of_evidence_stands_in_one_line() -> None:
    page = shown("near-optimal.theorem-5")[1]
    name = "test_theorem[theorem_5__l1_change_is_linear-near-optimal.theorem-5/l1-change-is-linear]"
    assert f"    proofs_checks/kernel/test_near_optimal.py::{name}" in page.splitlines()


def test_paragraphs_of_help_are_broken_by_the_terminal_alone() -> None:
    assert flowing(""" One.\n\n    Two\n    lines.\n    """) == "One.\n\nTwo lines."
    for command in (*app.registered_commands, *alone.registered_commands):
        assert command.help
        assert "\n" not in command.help.replace("\n\n", "")
    said = CliRunner().invoke(alone, ["audit", "--help"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"}).stdout
    assert " entries of either sign. If the mechanism does not admit these, say what a" in said


def test_findings_show_their_numbers_by_a_command() -> None:
    found = CliRunner().invoke(look_ups, ["findings", "--document", "sliding-window"])
    assert found.exit_code == 0
    lines = [line.strip() for line in found.stdout.splitlines() if "$ dpmatrix claims " in line]
    assert len(lines) > 20
    name, at, point = lines[0].removeprefix("$ dpmatrix claims ").split(" ")
    result = CliRunner().invoke(look_ups, ["claims", name, at, point])
    assert "false" in result.stdout


def test_fields_of_a_point_that_is_the_same_as_another_tell_the_other_first() -> None:
    said = shown("near-optimal.theorem-6", "--fields")[1]
    assert "PpcaNeighbours: Data matrices X and X', records in columns. The same with the number k of columns" in said

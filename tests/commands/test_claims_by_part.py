"""Claims are shown by any name under which they are printed: of a repair, of a step, of a citation with its print."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

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


def test_findings_show_their_numbers_by_a_command() -> None:
    found = CliRunner().invoke(look_ups, ["findings", "--document", "sliding-window"])
    assert found.exit_code == 0
    lines = [line.strip() for line in found.stdout.splitlines() if "$ dpmatrix claims " in line]
    assert len(lines) > 20
    name, at, point = lines[0].removeprefix("$ dpmatrix claims ").split(" ")
    result = CliRunner().invoke(look_ups, ["claims", name, at, point])
    assert "false" in result.stdout

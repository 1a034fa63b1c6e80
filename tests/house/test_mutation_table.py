"""The tables of mutants in the repository are of today's code, add up, and have no survivor without a reason."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dpmatrix.claims.strangers import TRUSTED_BASE

ROOT = Path(__file__).resolve().parents[2]
SPECIFICATION = "dpmatrix.spec"
TABLES = ("mutation_table.md", "source_mutation_table.md", "source_audit_table.md")
FATES = ("by assertion", "by crash", "by import", "by timeout", "explained", "survived")
EXTENT = re.compile(r"(Every module was|\d+ of \d+ modules were) judged")


def of_specification(parts: SimpleNamespace) -> tuple[list[Any], Any, str]:
    """Return the modules, the layout and the explanations of the table of the specification."""
    modules = parts.mutants.Module.find(SPECIFICATION, parts.substitution.folder_of(SPECIFICATION))
    for name in TRUSTED_BASE:
        modules += parts.mutants.Module.of_base(name, parts.substitution.folder_of(name))
    return modules, parts.table.SPECIFICATION, "mutation_survivors.toml"


def of_library(parts: SimpleNamespace, asked: str, survivors: str) -> tuple[list[Any], Any, str]:
    """Return the same of a table of what releases."""
    modules = [module for name in parts.mutate_sources.PARTS for module in parts.source_campaign.modules_of(name)]
    return modules, parts.source_report.layout(asked, survivors), survivors


CHOICES = dict(
    zip(
        TABLES,
        (
            of_specification,
            partial(of_library, asked="`make test`", survivors="source_survivors.toml"),
            partial(of_library, asked="`pytest audit`", survivors="audit_survivors.toml"),
        ),
        strict=True,
    )
)


@pytest.fixture(scope="module", params=TABLES)
def tool(request) -> Iterator[SimpleNamespace]:
    """Return a table, what reads it, the digest of each module today, and the number of its explanations."""
    sys.path.insert(0, str(ROOT / "audit"))
    try:
        names = ("mutants", "source_campaign", "source_report", "substitution", "table")
        parts = SimpleNamespace(**{name: importlib.import_module(f"mutation.{name}") for name in names})
        parts.mutate_sources = importlib.import_module("mutate_sources")
        modules, layout, survivors = CHOICES[request.param](parts)
        explained = tomllib.loads((ROOT / "audit" / survivors).read_text(encoding="utf-8"))
        yield SimpleNamespace(
            path=ROOT / "audit" / request.param,
            read=lambda path: parts.table.read(path, layout),
            headings=layout.headings,
            codes={module.short: module.code for module in modules},
            explained={name: len(reasons) for name, reasons in explained.items()},
            head=layout.head.partition("{")[0],
            closed=explained.keys() if request.param == TABLES[2] else set(),  # the others wait for their next run
        )
    finally:
        sys.path.remove(str(ROOT / "audit"))


def problems(tool: SimpleNamespace, path: Path) -> list[str]:
    """List what is wrong with a table."""
    text = path.read_text(encoding="utf-8")
    rows = tool.read(path)
    every = [row for own in rows.values() for row in own]
    last = [int(cell) for cell in text.splitlines()[-1].strip("| ").split("|")[3:]]
    sums = [sum(row.counts[place] for row in every) for place in range(len(tool.headings))]
    found = ["the sums do not agree"] * (last != sums)
    found += ["the head is of another table"] * (not text.startswith(tool.head))
    found += [f"{name}: explained, but not judged" for name in sorted(tool.closed - rows.keys())]
    for row in every:
        where = f"{row.module} {row.change}"
        found += [f"{where}: the fates do not add up"] * (sum(map(row.count, FATES)) != row.count("mutants"))
        found += [f"{where}: {name}" for name in ("survived", "blind") if row.count(name)]
        found += [f"{where}: of other code"] * (row.code != tool.codes.get(row.module))
    for name, own in rows.items():
        reasons = sum(row.count("explained") for row in own)
        found += [f"{name}: not every reason is counted"] * (reasons != tool.explained.get(name, 0))
    extent = EXTENT.search(text.partition("|")[0].replace("\n", " "))
    whole = rows.keys() == tool.codes.keys()
    said = "Every module was" if whole else f"{len(rows)} of {len(tool.codes)} modules were"
    return found + ["the head is wrong"] * (extent is None or extent[1] != said)


def test_the_table_is_of_this_code_and_adds_up(tool) -> None:
    assert tool.read(tool.path)
    assert problems(tool, tool.path) == []


def move(tool: SimpleNamespace, lines: list[str], after: str) -> None:
    """Count one mutant elsewhere, in the first row with one that an item objected to, and in the sums."""
    old, new = (3 + tool.headings.index(name) for name in ("by assertion", after))
    tables = {place: line.strip("|").split("|") for place, line in enumerate(lines) if line.startswith("| ")}
    first = next(place for place, cells in tables.items() if cells[old].strip(" 0").isdecimal())
    for place in (first, max(tables)):
        cells = tables[place]
        cells[old], cells[new] = f" {int(cells[old]) - 1} ", f" {int(cells[new]) + 1} "
        lines[place] = f"|{'|'.join(cells)}|"


@pytest.mark.parametrize(
    ("after", "problem"),
    [
        ("survived", ": survived"),
        ("mutants", "the fates do not add up"),
        ("explained", "not every reason is counted"),
    ],
)
def test_a_mutant_that_is_counted_elsewhere_is_found(tool, tmp_path, after, problem) -> None:
    lines = tool.path.read_text(encoding="utf-8").splitlines()
    move(tool, lines, after)
    (tmp_path / "table.md").write_text("\n".join(lines), encoding="utf-8")
    found = problems(tool, tmp_path / "table.md")
    assert any(problem in one for one in found)
    assert "the sums do not agree" not in found


@pytest.mark.parametrize("tool", [TABLES[0]], indirect=True)
def test_a_mutant_that_no_fingerprint_notices_is_found(tool, tmp_path) -> None:
    lines = tool.path.read_text(encoding="utf-8").splitlines()
    move(tool, lines, "blind")
    (tmp_path / "table.md").write_text("\n".join(lines), encoding="utf-8")
    assert any(": blind" in one for one in problems(tool, tmp_path / "table.md"))


def other_sum(text: str) -> str:
    return re.sub(r"\d+ \|\n$", lambda cell: f"1{cell[0]}", text)


def other_code(text: str) -> str:
    return re.sub(r"\| [0-9a-f]{16} \|", f"| {'0' * 16} |", text, count=1)


def other_number(text: str) -> str:
    return EXTENT.sub("0 of 7 modules were judged", text, count=1)


def without_a_module(text: str) -> str:
    """Leave out the first module, and say that every one is there."""
    lines = text.splitlines(keepends=True)
    first = next(line for line in lines if re.search(r"\| [0-9a-f]{16} \|", line)).split("|")[1]
    left = "".join(line for line in lines if not line.startswith(f"|{first}|"))
    return EXTENT.sub("Every module was judged", left, count=1)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (other_sum, "the sums do not agree"),
        (other_code, "of other code"),
        (other_number, "the head is wrong"),
        (without_a_module, "the head is wrong"),
    ],
)
def test_a_table_that_is_changed_is_found(tool, tmp_path, change, problem) -> None:
    (tmp_path / "table.md").write_text(change(tool.path.read_text(encoding="utf-8")), encoding="utf-8")
    assert any(problem in found for found in problems(tool, tmp_path / "table.md"))

"""The files of settings and of explanations can be read, and what they explain exists."""

from __future__ import annotations

import importlib
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from dpmatrix.claims.strangers import TRUSTED_BASE
from dpmatrix.claims.tried import HYPOTHESES, explained_hypotheses
from dpmatrix.reporting.vacuity import MARGINS
from dpmatrix.spec import load

ROOT = Path(__file__).resolve().parents[2]
SPECIFICATION = "dpmatrix.spec"
FILES = sorted(
    path.relative_to(ROOT).as_posix() for folder in ("audit", "spec") for path in (ROOT / folder).rglob("*.toml")
)
Explained = Mapping[str, Mapping[str, str]]


def read(file: str) -> Explained:
    return tomllib.loads((ROOT / file).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def tool() -> Iterator[SimpleNamespace]:
    """Return the parts of the mutation tool, which its scripts import from the folder that they stand in."""
    sys.path.insert(0, str(ROOT / "audit"))
    try:
        names = ("mutants", "operators", "selection", "source_campaign", "substitution")
        yield SimpleNamespace(**{name: importlib.import_module(f"mutation.{name}") for name in names})
    finally:
        sys.path.remove(str(ROOT / "audit"))


def of_specification(tool: SimpleNamespace) -> tuple[dict[str, Any], Callable[[Any], list[Any]]]:
    """Return the modules that `audit/mutate.py` changes, by their short names, and what lists the mutants of one."""
    modules = tool.mutants.Module.find(SPECIFICATION, tool.substitution.folder_of(SPECIFICATION))
    margins = tool.mutants.margin_names(modules)
    for name in TRUSTED_BASE:
        modules += tool.mutants.Module.of_base(name, tool.substitution.folder_of(name))

    def mutants(module: Any) -> list[Any]:
        value = partial(value_in, importlib.import_module(module.name))
        found = tool.mutants.mutants(module, margins, value, tool.substitution.VACUOUS)
        return [mutant for mutant in found if mutant.edit.operator in tool.selection.OPERATORS]

    return {module.short: module for module in modules}, mutants


def of_library(tool: SimpleNamespace) -> tuple[dict[str, Any], Callable[[Any], list[Any]]]:
    """Return the modules that `audit/mutate_sources.py` can change, and what lists the mutants of one."""
    modules = tool.mutants.Module.of_base("dpmatrix", tool.substitution.folder_of("dpmatrix"))
    return {module.short: module for module in modules}, tool.source_campaign.mutants_of


def value_in(module: ModuleType, text: str) -> object:
    return eval(text, dict(vars(module)))


def idle(explained: Explained, modules: Mapping[str, Any], mutants: Callable[[Any], list[Any]]) -> list[str]:
    """List what is explained and does not exist, or is explained by nothing."""
    found = [f"no module {name}" for name in explained if name not in modules]
    for name, reasons in explained.items():
        keys = {mutant.key for mutant in mutants(modules[name])} if name in modules else set(reasons)
        found += [f"{name}: no mutant {key}" for key in reasons if key not in keys]
        found += [f"{name} {key}: no reason" for key, reason in reasons.items() if not reason.strip()]
    return found


@pytest.mark.parametrize("file", FILES)
def test_a_file_can_be_read(file: str) -> None:
    read(file)


def test_a_table_that_stands_twice_cannot_be_read() -> None:
    text = (ROOT / "audit/mutation_survivors.toml").read_text(encoding="utf-8")
    first = next(line for line in text.splitlines() if line.startswith("["))
    with pytest.raises(tomllib.TOMLDecodeError):
        tomllib.loads(f"{text}\n{first}\n")


def test_every_explained_mutant_of_the_specification_exists(tool) -> None:
    explained = read("audit/mutation_survivors.toml")
    assert explained
    assert idle(explained, *of_specification(tool)) == []


@pytest.mark.parametrize("file", ["audit/source_survivors.toml", "audit/audit_survivors.toml"])
def test_every_explained_mutant_of_the_library_exists(tool, file: str) -> None:
    explained = read(file)
    assert explained
    assert idle(explained, *of_library(tool)) == []


@pytest.mark.parametrize(("parts", "module"), [(of_specification, "dpmatrix.exact"), (of_library, "dpmatrix.exact")])
def test_explanations_of_nothing_are_found(tool, parts, module) -> None:
    modules, mutants = parts(tool)
    key = mutants(modules[module])[0].key
    planted = {module: {key: "a reason", "rational: 7 -> 8": "a reason"}, "wishart.nothing": {key: "a reason"}}
    assert idle(planted, modules, mutants) == ["no module wishart.nothing", f"{module}: no mutant rational: 7 -> 8"]
    assert idle({module: {key: " "}}, modules, mutants) == [f"{module} {key}: no reason"]


def test_every_statement_whose_empty_margin_is_explained_exists() -> None:
    statements = {name for claim in load() for name in claim.statements()}
    explained = read("audit/vacuity_survivors.toml")
    assert explained
    assert explained.keys() <= statements
    assert {kind for reasons in explained.values() for kind in reasons} <= {*MARGINS, HYPOTHESES}
    margins = [reason for reasons in explained.values() for kind, reason in reasons.items() if kind in MARGINS]
    hypotheses = [reason for name in explained for reason in explained_hypotheses(explained, name).values()]
    assert all(reason.strip() for reason in margins + hypotheses)


def test_every_explained_hypothesis_exists() -> None:
    statements = {name: statement for claim in load() for name, statement in claim.statements().items()}
    explained = read("audit/vacuity_survivors.toml")
    known = {name: {condition.says for condition in statements[name].given} for name in explained}
    assert [(name, says) for name in explained for says in {*explained_hypotheses(explained, name)} - known[name]] == []

"""The faults that audits must object to: each can be planted, some are red, and the tool can say no."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.warm import tools

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "audit"))

from faults import planted  # noqa: E402 - a folder of scripts

FAULTS = planted.read()
QUICK = ("clipped-nearly", "promise-for-known-memory")


@pytest.fixture
def plant(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the tool, on the faults of this text if there is one."""

    def run(*names: str, text: str = "") -> subprocess.CompletedProcess[str]:
        catalogue = tmp_path / "faults.toml" if text else planted.CATALOGUE
        if text:
            catalogue.write_text(text, encoding="utf-8")
        command = [str(REPOSITORY / "audit" / "plant.py"), *names, "--catalogue", str(catalogue)]
        return tools().run(command, cwd=REPOSITORY)

    return run


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_each_can_be_planted_and_has_items_to_ask(fault: planted.Fault) -> None:
    mutant = fault.mutant("dpmatrix")
    compile(mutant.source, fault.file, "exec")
    assert mutant.source != mutant.module.source
    assert fault.asked
    for item in fault.asked:
        file, _, name = item.partition("::")
        text = (REPOSITORY / file).read_text(encoding="utf-8")
        assert file.startswith("audit/test_released_")
        assert f"def {name.partition('[')[0]}(" in text


def test_there_are_enough_of_them() -> None:
    assert sum(fault.file.startswith("mechanisms/") for fault in FAULTS) >= 22
    assert {fault.file.partition("/")[0] for fault in FAULTS} >= {"mechanisms", "estimators", "commands"}


def test_some_are_red(plant) -> None:
    done = plant(*QUICK)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("| red |") == len(QUICK)


FAULT = """
[[fault]]
name = "{name}"
file = "mechanisms/norms.py"
why = "for a test"
before = "_DIGITS_BELOW_BOUND = 80"
after = "{after}"
asked = ["{item}"]
"""
ITEM = "audit/test_released_losses.py::test_a_clipped_record_keeps_the_bound_to_the_last_digit"


def planted_as(after: str, item: str = ITEM) -> str:
    return FAULT.format(name=after.rpartition(" ")[2], after=after, item=item)


def test_a_fault_that_nobody_minds_is_green_and_so_is_one_that_cannot_be_imported(plant) -> None:
    texts = (planted_as(f"_DIGITS_BELOW_BOUND = {value}") for value in ("81", "no_such_name"))
    done = plant(text="".join(texts))
    assert done.returncode == 1
    assert "| GREEN | nobody objects |" in done.stdout
    assert done.stdout.count("| GREEN |") == 2


def test_an_item_that_fails_without_the_fault_is_no_answer(plant, tmp_path: Path) -> None:
    wrong = tmp_path / "test_wrong.py"
    wrong.write_text("def test_wrong():\n    assert False\n", encoding="utf-8")
    done = plant(text=planted_as("_DIGITS_BELOW_BOUND = 81", str(wrong)))
    assert done.returncode == 2
    assert "fails without the fault as well" in done.stdout


def test_a_text_that_is_not_there_is_no_fault(plant) -> None:
    done = plant(text=planted_as("x").replace("= 80", "= 79"))
    assert done.returncode == 2
    assert "occurs 0 times" in done.stdout

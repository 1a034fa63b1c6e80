"""The stored table of faulty mechanisms is about the suite that there is."""

from __future__ import annotations

import math
from pathlib import Path

from audit.zoo import faulty_specimens

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests" / "benchmarks" / "zoo_detection.txt"
PAGE = ROOT / "src" / "dpmatrix" / "documentation" / "pages" / "auditor.md"
VERDICT, SHARE, SECONDS = 4, 6, 10


def rows(table: Path = TABLE) -> dict[str, list[str]]:
    lines = [line for line in table.read_text(encoding="utf-8").splitlines() if line.startswith("| ")][1:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row for row in cells}


def test_the_table_has_every_faulty_mechanism_and_all_demanded_ones_are_certified() -> None:
    found = rows()
    assert set(found) == {creature.name for creature in faulty_specimens()}
    for creature in faulty_specimens():
        if creature.is_demanded():
            # What repeats its outputs is refused by the audit that users run.
            assert found[creature.name][VERDICT] in ({"yes", "no verdict"} if creature.repeats else {"yes"})
            assert float(found[creature.name][SECONDS]) <= 1.1 * 60


def test_the_page_for_auditors_repeats_the_table() -> None:
    found, text = rows(), " ".join(PAGE.read_text(encoding="utf-8").split())
    demanded = [creature for creature in faulty_specimens() if creature.is_demanded()]
    verdicts = [found[creature.name][VERDICT] for creature in demanded]
    certified = verdicts.count("yes")
    assert f"Of the {len(demanded)} that exceed their claim by a fifth or more" in text
    assert f"that outputs can show, {certified} were certified as violations" in text
    assert f"On the other {len(demanded) - certified} there is no verdict" in text
    truths = {creature.name: creature.truth() for creature in demanded}
    finite = [name for name, truth in truths.items() if truth is not None and math.isfinite(truth.epsilon)]
    shares = {name: float(found[name][SHARE]) for name in finite}
    near = sum(share >= 0.8 for share in shares.values())
    assert f"Of the {len(finite)} whose true ε is finite and known, {near} were bounded by at least 80 % of it" in text
    for name, share in shares.items():
        if share < 0.8:
            assert f"`{name}`" in text
            assert f"by {100 * share:.3g} %" in text

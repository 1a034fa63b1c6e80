"""What the page on other libraries says stands in their audits, which run only where the libraries are installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dpmatrix.documentation import pages

AUDITS = Path(__file__).resolve().parents[2] / "audit/peers"
ROWS = 23
PAGE = next(page.text for page in pages() if page.name == "other-libraries")


@pytest.fixture(scope="module")
def audits() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(AUDITS.glob("*.py")))


def test_every_cause_is_one_that_an_audit_names(audits: str) -> None:
    causes = set(re.findall(r"`([\w/.]+\.(?:py|rs):\d+)`", PAGE))
    assert len(causes) >= 19
    assert not {cause for cause in causes if cause not in audits}


def test_every_number_of_an_issue_is_one_that_an_audit_names(audits: str) -> None:
    libraries = "opendp|IBM|Google|prv_accountant|opacus|autodp"
    cited = {
        number
        for row in re.findall(rf"(?:{libraries}) (\d+(?:(?:,| and) \d+)*)\b(?!\.)", PAGE)
        for number in row.split()
    }
    numbers = {number.strip(",") for number in cited} - {"and"}
    assert {
        "104",
        "105",
        "110",
        "94",
        "19",
        "2922",
        "2950",
        "2952",
        "2416",
        "2422",
        "384",
        "400",
        "126",
        "40",
    } <= numbers
    assert not {number for number in numbers if not re.search(rf"\b{number}\b", audits)}


def test_what_is_certified_is_kept_apart_from_what_is_exact() -> None:
    """Rows of quadrature and of accounting have nothing in the column of the certified bounds."""
    rows = {row.split(".")[0].strip("| "): row.split("|") for row in PAGE.splitlines() if re.match(r"\| \d+\.", row)}
    assert set(rows) == {str(number) for number in range(1, ROWS + 1)}
    assert rows["2"][4].strip() == "-"
    assert all(len(rows[str(number)]) == 5 for number in (15, 16, *range(18, ROWS + 1)))
    assert all("quadrature" not in row[4] for row in rows.values() if len(row) > 5)


def test_every_row_has_a_cause() -> None:
    table = PAGE.partition("## Causes")[2]
    given = [cell for row in re.findall(r"^\| (\d+(?:, \d+)*) \|", table, re.MULTILINE) for cell in row.split(", ")]
    assert sorted(given, key=int) == [str(number) for number in range(1, ROWS + 1)]


def test_commands_name_tests_that_are_there() -> None:
    names = set(re.findall(r"audit/peers/(\w+\.py)", PAGE))
    assert len(names) >= 6
    assert all((AUDITS / name).is_file() for name in names)

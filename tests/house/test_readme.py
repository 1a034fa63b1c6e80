"""The first page is short, and what it shows, counts and measures comes from what runs."""

from __future__ import annotations

import math
import re
import tomllib
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from flint import arb, fmpq
from sklearn.datasets import load_digits
from typer.main import get_command

from dpmatrix import __version__
from dpmatrix.__main__ import app
from dpmatrix.claims import Basis, State, Verdict
from dpmatrix.documentation import Page, blocks
from dpmatrix.documentation.verdicts import GROUPS, Contents, group_counts
from dpmatrix.estimators import DPPCA
from dpmatrix.mechanisms import SymmetrisedWishartMechanism
from dpmatrix.privacy import WishartProfile
from dpmatrix.spec import committed_standings, load
from dpmatrix.typesetting.publications import PUBLICATIONS
from tests.documentation import told_pages
from tests.documentation.test_pages_run import run_page

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = ROOT / "src" / "dpmatrix" / "documentation" / "pages"
BLIND = "audit/test_blind_audits.py"
LINES = 140
ALL, BETWEEN, BEYOND = "all", "cross", "beyond"
RUNNABLE = ("python", "console")
FITS, SHARE, MIDDLE, BOUND, RANK = 60, 0.6, 8.0, 32, 4


def text() -> str:
    return README.read_text(encoding="utf-8")


def shell_lines(page: str) -> list[str]:
    """Return the commands of a page that are for a shell, without comments."""
    held = [block for block in blocks(Page("README", page)) if block.language == "sh"]
    return [line.partition(" #")[0].strip() for block in held for line in block.text.splitlines() if line.strip()]


def prose(page: str) -> str:
    """Return what is neither a block, a table nor the target of a link, in one line, without names of claims."""
    claims = load().claims
    words = re.sub(r"`([^`]*)`", lambda code: " " if code[1] in claims else code[0], told_pages.prose(page))
    return " ".join(words.split())


def runnable(page: str) -> str:
    """Return the page without the blocks that are for a shell; `shell_lines` has those."""
    return re.sub(r"^```sh\n.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE)


def test_every_block_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last line of the example fails with a probability below 1e-10; see `test_share_has_a_proved_bound`."""
    monkeypatch.chdir(tmp_path)
    assert {block.language for block in blocks(Page("README", text()))} == {*RUNNABLE, "sh"}
    assert not run_page(Page("README", runnable(text())))


def wrong_command(line: str) -> str:
    """Return what is wrong with a command for a shell; empty if it names what exists."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    if line == "python3 -m venv .venv":
        return ""
    if found := re.fullmatch(r"make ([a-z-]+)", line):
        return "" if f"\n{found[1]}:" in makefile else f"no target {found[1]}"
    if found := re.fullmatch(r"\.venv/bin/python -m pip install (?:-e )?\"\.\[([a-z]+)\]\"", line):
        return "" if found[1] in extras else f"no extra {found[1]}"
    if found := re.fullmatch(r"\.venv/bin/python -m pytest (\S+\.py) -k (\w+)", line):
        tests = re.findall(r"^def (test_\w+)", (ROOT / found[1]).read_text(encoding="utf-8"), flags=re.MULTILINE)
        return "" if any(found[2] in test for test in tests) else f"no test {found[2]}"
    return f"{line!r} is none of the commands that can be checked"


def test_commands_for_a_shell_name_what_exists() -> None:
    lines = shell_lines(text())
    assert {"make test", "make audit"} <= set(lines)
    assert not [wrong for line in lines if (wrong := wrong_command(line))]
    for nonsense in (
        "make tea",
        '.venv/bin/python -m pip install ".[tea]"',
        f".venv/bin/python -m pytest {BLIND} -k tea",
    ):
        assert wrong_command(nonsense)


def misnamed(page: str) -> list[str]:
    """Return commands in the text of a page that do not exist: targets of make, and commands of the program."""
    found = re.findall(r"`(?:[A-Z_]+=\S+ )?(?:make|python -m dpmatrix|dpmatrix) ([a-z][a-z-]*)[^`]*`", page)
    return [name for name in found if wrong_command(f"make {name}") and name not in get_command(app).commands]


@pytest.mark.parametrize(
    "path", [*sorted(ROOT.glob("[A-Z]*.md")), *sorted(PAGES.glob("*.md"))], ids=lambda path: path.stem
)
def test_commands_in_the_text_exist(path: Path) -> None:
    assert not misnamed(path.read_text(encoding="utf-8"))


def test_a_command_that_does_not_exist_is_noticed() -> None:
    assert misnamed("Say `make tea`, `python -m dpmatrix brew x` or `dpmatrix pca`.") == ["tea", "brew"]


def test_page_is_short_and_its_links_lead_somewhere() -> None:
    assert len(text().splitlines()) <= LINES
    links = re.findall(r"\]\(([^)]*)\)", text())
    assert len(links) >= 10
    assert not [link for link in links if not (ROOT / link).is_file()]


def test_table_of_the_documents_is_the_registry() -> None:
    """Where this fails because a verdict changed, the message has the lines that belong into the page."""
    contents = Contents.read()
    assert sorted(verdict.value for group in GROUPS.values() for verdict in group) == sorted(
        verdict.value for verdict in Verdict
    )
    rows = [f"| document | claims | {' | '.join(GROUPS)} |", "|---" * (len(GROUPS) + 2) + "|"]
    for name, title in contents.titles.items():
        authors, colon, words = title.rpartition(": ")
        counts = [len(contents.of(name)), *group_counts(contents.of(name))]
        shown = f"{authors}: *{words}*" if colon else title
        shown += f" ({PUBLICATIONS[name].short})" if name in PUBLICATIONS else ""
        rows.append(f"| `{name}`: {shown} | {' | '.join(map(str, counts))} |")
    shown_rows = [line for line in text().splitlines() if line.startswith("|")]
    assert shown_rows == rows, "\n" + "\n".join(rows)


def pictures() -> np.ndarray:
    return load_digits().images.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16)


def moments() -> tuple[np.ndarray, np.ndarray]:
    """Return the second moments about the public point and about the data's own mean."""
    about = pictures() - MIDDLE
    return about.T @ about / len(about), np.cov(about.T, bias=True)


def best(moment: np.ndarray) -> float:
    return float(np.linalg.eigvalsh(moment)[-RANK:].sum())


@cache
def captured() -> tuple[float, ...]:
    """Return the mean share of 60 fits with the seeds 0 to 59, about the point and about the mean."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [
            DPPCA(RANK, epsilon=1, data_norm=BOUND, mean=np.full(16, MIDDLE), random_state=seed).fit(pictures())
            for seed in range(FITS)
        ]
    components = [model.components_ for model in models]
    return tuple(float(np.mean([np.trace(c @ m @ c.T) for c in components])) / best(m) for m in moments())


def chance() -> list[float]:
    return [RANK / 16 * float(np.trace(moment)) / best(moment) for moment in moments()]


def count(document: str) -> int:
    registry = load()
    return sum(document in (ALL, claim.document) for claim in registry)


def failure() -> str:
    """Return the mass of outputs that the other data set can never give, at epsilon = 1, in percent."""
    masses = [WishartProfile(size, degrees_of_freedom=size + 1, scale=fmpq(3, 2)).delta(1) for size in (1, 5, 20)]
    exact = 1 - (-arb(1) / 3).exp()
    assert all(mass.overlaps(exact) for mass in masses)
    assert all(mass.rad() < 1e-12 for mass in masses)
    return f"{100 * float(exact):.0f}"


def bases() -> list[int]:
    """Count the verdicts that the accepted run earned, and on what they rest."""
    earned = [record for record in committed_standings().values() if record["standing"] == State.EARNED.value]
    return [len(earned), *(sum(record["basis"] == basis.value for record in earned) for basis in Basis)]


def release_times() -> list[str]:
    """Return the figures of the page of benchmarks at 200 numbers a record: Gaussian and Wishart, then the ratios."""
    page = (ROOT / "src/dpmatrix/documentation/pages/benchmarks.md").read_text(encoding="utf-8")
    section = page.partition("## Releases\n\nA whole release of 2,000 records:")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    row = next(dict(zip(rows[0], cells, strict=True)) for cells in rows if cells[0] == "200")
    gauss, wishart = (row[name].rstrip(")").split(" (") for name in ("Analyze Gauss", "symmetrised Wishart"))
    return ["200", gauss[0], wishart[0], gauss[1], wishart[1]]


FACTS: dict[str, Callable[[], Sequence[object]]] = {
    ": {} definitions, algorithms": lambda: [count(ALL) - count(BETWEEN) - count(BEYOND)],
    "documents, {} claims that compare": lambda: [count(BETWEEN)],
    "and {} about": lambda: [count(BEYOND)],
    "Each of the {} claims": lambda: [count(ALL)],
    "1 − exp(−ε/3), which is {} % at ε = 1": lambda: [failure()],
    "over {} fits the directions held {:.2f} of the second moment about the point {:.0f}": lambda: [
        FITS,
        captured()[0],
        MIDDLE,
    ],
    "that the best four hold; four random directions hold {:.2f}": lambda: chance()[:1],
    "the fits held {:.2f} of what the best four hold, and four random directions hold {:.2f}": lambda: [
        captured()[1],
        chance()[1],
    ],
    "In the accepted run {} verdicts are earned: {} by machine, {} by a written proof that a machine checks in parts, "
    "{} by samples": bases,
    "(now {}, see": lambda: [__version__],
    "A whole release of 2,000 records of {} numbers takes {} ms with Gaussian and {} ms with symmetrised Wishart "
    "noise: {} and {} times": release_times,
    "(16 pixels, each within {:.0f} of it)": lambda: [float(np.abs(np.array([0, 16]) - MIDDLE).max())],
    "from 0 to 16 by definition, so every record is within {:.0f} of the point 8": lambda: [math.sqrt(16) * 8],
}
"""Sentences with numbers, and what computes them."""

PLAIN = (
    "Theorem 4 of",
    "(ε, 0)-differentially",
    "confidence 1 − 10⁻⁹, in dimensions 1, 5 and 20",
    "some 15 s",
    "Python 3.11 or later",
    "Apache License 2.0",
    "probability below 10⁻¹⁰",
    "`python3-venv`",
    "by Sheffet (2019) and by Amin and others (2019)",
    "(its issues 23 and 42)",
)
"""Names, times that were measured, and what the other tests of this file check."""


def unexplained(page: str) -> list[str]:
    """Return numbers of the prose that no fact and no plain phrase explains, and facts that the page misstates."""
    left, wrong = prose(page), []
    for sentence, computed in FACTS.items():
        said = sentence.format(*computed())
        wrong += [] if said in left else [f"not on the page: {said}"]
        left = left.replace(said, " ")
    for phrase in PLAIN:
        left = left.replace(phrase, " ")
    return wrong + re.findall(r"\S*\d\S*", left)


def test_numbers_in_the_prose_are_computed() -> None:
    assert not unexplained(text())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("157", "168"),
        ("28 %", "30 %"),
        ("0.96", "0.99"),
        ("## Install", "It is 3 times faster.\n\n## Install"),
        ("use\n", "use `7` times\n"),
    ],
)
def test_a_number_that_nobody_computed_is_noticed(old: str, new: str) -> None:
    assert old in text()
    assert unexplained(text().replace(old, new))


def test_every_claim_has_a_verdict_with_its_reason_and_evidence() -> None:
    accepted = committed_standings()
    assert not [claim.id for claim in load() if not (claim.because and accepted[claim.id]["evidence"])]


def test_what_the_plain_phrases_say() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (project["requires-python"], project["license"], project["version"]) == (">=3.11", "Apache-2.0", __version__)
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    marks, _, body = (ROOT / BLIND).read_text(encoding="utf-8").partition("def test_wishart_failure_is_found_blindly")
    assert "\nDIMENSIONS = (1, 5, 20)\n" in marks
    assert marks.endswith('confidence 1 - 1e-9")\n@pytest.mark.parametrize("dimension", DIMENSIONS)\n')
    assert "\n    assert result.violated\n" in body.partition("\ndef ")[0]


def test_share_has_a_proved_bound() -> None:
    """The share of the best is above 0.6 with probability at least 1 - 1e-10.

    The noise N is W_1 - W_2, each c GG' for a d x (d + 1) matrix G of normal variates, whose largest singular value
    exceeds ``d^1/2 + (d + 1)^1/2 + t`` with probability at most ``exp(-t^2/2)`` (Davidson and Szarek). Both W are
    positive semidefinite, so ``|N| <= max(|W_1|, |W_2|)``. A released direction outside the plane has an eigenvalue of
    at most ``l_5 + |N|``, so the top direction v has ``|sin| <= |Nv| / (l_1 - l_5 - |N|)``. Rounding to the grid adds
    at most d times the grid to ``|N|``.
    """
    moment, dimension = moments()[0], 16
    mechanism = SymmetrisedWishartMechanism(epsilon=1, norm_bound=BOUND)
    scale = float(mechanism.noise_scale(dimension, len(pictures())))
    values = np.linalg.eigvalsh(moment)[::-1]
    t = 7.0
    noise = scale * (math.sqrt(dimension) + math.sqrt(dimension + 1) + t) ** 2 + dimension * scale * 2.0**-20
    sine = noise / (values[0] - values[RANK] - noise)
    assert 2 * math.exp(-(t**2) / 2) < 1e-10
    assert values[0] * (1 - sine**2) / values[:RANK].sum() > SHARE
    assert f"> {SHARE} * best" in text()
    assert float(np.linalg.norm(pictures() - MIDDLE, axis=1).max()) <= BOUND

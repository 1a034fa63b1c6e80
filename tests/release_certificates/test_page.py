"""What a certificate says, and that it says nothing that is not so."""

from __future__ import annotations

import copy
import html
import json
import math
import re
from fractions import Fraction
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import attrs
import numpy as np
import pytest
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.claims import AuditVerdict, State, code_name
from dpmatrix.claims.ledger import dump
from dpmatrix.mechanisms import LaplaceInputPerturbation, SymmetrisedWishartMechanism
from dpmatrix.mechanisms.menu import DIRECTIONS
from dpmatrix.mechanisms.noise_sizes import noise_size
from dpmatrix.mechanisms.stairs import LEAST_EPSILON, MOST_EPSILON
from dpmatrix.mechanisms.wishart_noise import simulate_wishart
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.release_certificates.numbers import at_most, even_odds, odds_factor, shown
from dpmatrix.release_certificates.words import group_rows, hazards, promise
from dpmatrix.spec import accepted_run
from tests.release_certificates.releases import AUDIT, GAUSSIAN, NAMES, refused, released, standing_run

PURE = PrivacyGuarantee(1, 0, Adjacency.REPLACE_ONE)
APPROXIMATE = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.REPLACE_ONE)
KEY_OF_KERNEL = "in the kernel's certificate of"


def page() -> str:
    return Path("release.html").read_text(encoding="utf-8")


def words(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text[text.index("<body>") :])).split())


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("name", NAMES)
def test_every_mechanism_has_a_page(name, adjacency, certify) -> None:
    record = released(name, adjacency)
    done = certify(record)
    assert (done.exit_code, done.stdout) == (0, "wrote release.html\n"), done.output
    said = words(page())
    assert "e^epsilon = 2.72" in said
    assert record["noise"]["law"] in said
    assert record["mechanism"] in said
    assert ("n = 50 records" in said) is (adjacency is Adjacency.REPLACE_ONE)
    assert ("The number n of records is a secret" in said) is (adjacency is Adjacency.ADD_REMOVE_ONE)
    assert ("Not computed for this mechanism." in said) is (name in DIRECTIONS)
    assert "no run of the audits is at hand" in said
    for claim in record["claims"]:
        assert claim in said
    for field in ("integers", "components"):
        for value in {str(value) for row in (record["release"] | record)[field] for value in row}:
            assert len(value) < 5 or value not in said, "a released value stands on the page"


class Outline(HTMLParser):
    """Headings, ids, links and everything that a page would fetch or run."""

    def __init__(self) -> None:
        super().__init__()
        self.headings: list[int] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.language = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the tag is and has."""
        given = dict(attrs)
        self.tags.add(tag)
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "html":
            self.language = given.get("lang") or ""
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if "href" in given else []
        assert "src" not in given


def test_the_page_stands_alone_and_is_in_order(certify) -> None:
    assert certify(released()).exit_code == 0
    outline = Outline()
    outline.feed(page())
    assert outline.language == "en"
    assert {"title", "main", "h1"} <= outline.tags
    assert not {"script", "img", "link", "iframe", "object", "form"} & outline.tags
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(outline.headings, outline.headings[1:], strict=False))
    assert len(set(outline.ids)) == len(outline.ids)
    assert {link.removeprefix("#") for link in outline.links} <= set(outline.ids)


def test_what_comes_from_the_file_is_escaped(certify) -> None:
    names = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7 * 7 }}\u202e")
    assert certify(released(columns=names)).exit_code == 0
    text = page()
    assert "<script" not in text
    assert "<img" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "<bdi>{{ 7 * 7 }}\u202e</bdi>" in text, "a mark that turns the direction of writing ends with the name"


def test_a_release_that_is_not_private_is_called_so(certify) -> None:
    done = certify(released(entropy=SeededEntropy(1)))
    assert done.exit_code == 1
    text = page()
    assert re.search(r"<title>This release is NOT private", text)
    assert re.search(r"<h1>This release is NOT private", text)
    said = words(text)
    assert "nothing is guaranteed" in said
    assert "seed 1" in said
    assert "e^epsilon" not in said
    assert "Certificate of a private release" not in said


def test_the_hash_is_that_of_the_file(certify) -> None:
    assert certify(released()).exit_code == 0
    assert sha256(Path("release.json").read_bytes()).hexdigest() in page()


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_said_to_be_earned_beside_a_refutation(name, certify) -> None:
    """Nor is a theorem called checked that no run at hand has checked."""
    assert certify(released(name)).exit_code == 0
    text = page()
    rows = re.findall(r"<tr><th scope=\"row\">\S+ \([a-z]+\)</th>.*?</tr>", text, re.DOTALL)
    assert rows
    for row in rows:
        assert not (re.search("refut", row) and re.search("earned", row))
        assert not ("+repair" in row and 'class="earned"' in row)
        assert "checked in the run at hand" not in row
        assert row.count("In a proof assistant") == row.count("not checked here")
    if name == "symmetrised-wishart":
        assert "the repair is confirmed by the accepted run; as printed it does not hold: refuted" in text
        assert f"{KEY_OF_KERNEL} 20" in html.unescape(text)


def test_steps_that_a_machine_checked_are_counted(certify) -> None:
    """By the accepted run: sound steps of the printed proof with a symbolic or interval item, and those alone."""
    assert certify(released("mod-sulq")).exit_code == 0
    lines = [line for lines in accepted_run()["near-optimal.theorem-5"].evidence or () for line in (lines.line,)]
    steps = {
        line.split()[2] for line in lines if re.match(r"supports (symbolic|interval) near-optimal\.theorem-5/", line)
    }
    assert f"Proved by hand, {len(steps)} steps checked by machine." in words(page())


@pytest.mark.parametrize("state", [State.VIOLATED, State.UNEARNED, State.EARNED])
def test_a_claim_that_does_not_stand_is_no_certificate(state, certify, tmp_path) -> None:
    """A run without evidence for the repaired statement shows nothing either, even where the refutation is earned."""
    ledger = tmp_path / "ledger.json"
    ledger.write_text(dump(standing_run(state).to_json()), encoding="utf-8")
    assert certify(released("symmetrised-wishart"), "--ledger", ledger).exit_code == 1
    text = page()
    assert "<h1>NOT certified: a claim does not stand" in text
    assert "No run at hand saw a proof of it pass." in text


def test_audits_of_a_run_and_what_they_would_have_missed(certify, tmp_path) -> None:
    elsewhere = attrs.evolve(AUDIT, code=code_name(SymmetrisedWishartMechanism), view="another")
    control = attrs.evolve(AUDIT, control=True, verdict=AuditVerdict.VIOLATED)
    run = attrs.evolve(standing_run(State.EARNED), audits=(AUDIT, elsewhere, control))
    ledger = tmp_path / "ledger.json"
    ledger.write_text(dump(run.to_json()), encoding="utf-8")
    certify(released("laplace"), "--ledger", ledger)
    said = words(page())
    assert "1 audit of this mechanism in the run at hand" in said
    assert "1 not refuted (passed). 1 control with a planted fault." in said
    assert "an epsilon of up to 1.75 instead of 1 might not have been noticed" in said
    certify(released("gaussian"), "--ledger", ledger)
    assert "The run at hand has no audit of this mechanism." in words(page())


def test_numbers_in_words_are_rounded_to_the_safe_side() -> None:
    assert odds_factor(Fraction(1)) == "2.72"
    assert odds_factor(Fraction(1, 1000)) == "1.0011"
    assert float(odds_factor(Fraction(10))) == 22100 > math.exp(10)
    assert odds_factor(Fraction(10**9)).startswith("more than ")
    assert even_odds(Fraction(1)) == "73.2"
    assert even_odds(Fraction(10**9)) == "100"
    assert even_odds(Fraction(200)) == "100"
    assert at_most(Fraction(1, 3)) == "0.334"
    assert (shown(Fraction(1, 2)), shown(Fraction(1, 3)), shown(Fraction(10**6))) == ("0.5", "1/3", "1000000")
    assert shown(Fraction(10**30 + 1, 10**30)).startswith("about 1")


def test_groups_are_those_of_the_library() -> None:
    """K epsilon; delta is that of one record times 1 + e + ... + e^(k - 1), rounded up."""
    rows = {row.records: row for row in group_rows(APPROXIMATE)}
    assert [row.epsilon for row in rows.values()] == ["1", "2", "5", "10"]
    for records, row in rows.items():
        exact = 1e-6 * sum(math.exp(step) for step in range(records))
        assert exact <= float(row.delta) * (1 + 1e-12)
        assert float(row.delta) <= exact * 1.01
    nothing = {row.records: row.epsilon for row in group_rows(attrs.evolve(APPROXIMATE, delta=Fraction(1, 10)))}
    assert nothing == {1: "1", 2: "2", 5: None, 10: None}
    assert [row.delta for row in group_rows(PURE)] == ["0"] * 4


def test_promises_of_pure_and_approximate_guarantees() -> None:
    pure, other = " ".join(promise(PURE)), " ".join(promise(APPROXIMATE))
    assert "The odds that anybody assigns to a statement about one record change by a factor of at most" in pure
    assert "delta" not in pure
    assert "plus delta = 0.000001" in other
    assert "The odds that anybody" not in other
    added = " ".join(promise(attrs.evolve(PURE, adjacency=Adjacency.ADD_REMOVE_ONE)))
    assert "the statement that a record is there" in added
    assert "two steps" in added


@pytest.mark.parametrize(
    ("epsilon", "name"), [("1", None), ("1.01", "1"), ("3", "1"), ("3.01", "3"), ("10", "3"), ("10.01", "10")]
)
def test_hazards_of_a_large_epsilon(epsilon, name) -> None:
    found = [title for title, _ in hazards(attrs.evolve(PURE, epsilon=Fraction(epsilon)), 50, "clip")]
    assert [title for title in found if title.startswith("Epsilon")] == (
        [] if name is None else [f"Epsilon above {name}"]
    )


def test_hazards_of_delta() -> None:
    def titles(delta: Fraction, records: int | None) -> list[str]:
        return [title for title, _ in hazards(attrs.evolve(PURE, delta=delta), records, "reject") if "Delta" in title]

    assert titles(Fraction(0), None) == []
    assert titles(Fraction(1, 101), 100) == []
    assert titles(Fraction(1, 100), 100) == ["Delta not below 1/n"]
    assert titles(Fraction(1, 10**9), None) == ["Delta, and n unknown"]


def test_the_size_of_wishart_noise() -> None:
    """By 20,000 draws at d = 4: each mean square is off by 5 % with a probability below 1e-6."""
    mechanism = SymmetrisedWishartMechanism(1)
    scale = mechanism.noise_scale(4, 50)
    generator = np.random.default_rng(11)
    noise = simulate_wishart(20_000, 4, float(scale), generator) - simulate_wishart(20_000, 4, float(scale), generator)
    size = noise_size(mechanism, 4, 50, Fraction(1))
    assert size is not None
    assert size.off_diagonal is not None
    assert float(size.diagonal) ** 2 == pytest.approx((noise[:, 1, 1] ** 2).mean(), rel=0.05)
    assert float(size.off_diagonal) ** 2 == pytest.approx((noise[:, 0, 2] ** 2).mean(), rel=0.05)
    assert float(size.frobenius) ** 2 == pytest.approx((noise**2).sum(axis=(1, 2)).mean(), rel=0.05)


@pytest.mark.parametrize("epsilon", [1, 10**13, 10**30])
def test_the_size_of_laplace_noise(epsilon) -> None:
    """Against the sum of k^2 e^(-|k|/t) where t is of the size of a unit, and against 2 t^2 where it is large."""
    mechanism = LaplaceInputPerturbation(epsilon)
    size = noise_size(mechanism, 3, 1, Fraction(1))
    assert size is not None
    scale = float(mechanism.noise_scale(3))
    if scale > 1e6:
        assert float(size.diagonal) == pytest.approx(math.sqrt(2) * scale)
    else:
        weights = [math.exp(-abs(k) / scale) if abs(k) / scale < 700 else 0.0 for k in range(-400, 401)]
        exact = sum(k * k * weight for k, weight in zip(range(-400, 401), weights, strict=True)) / sum(weights)
        assert exact <= float(size.diagonal) ** 2 * (1 + 1e-9)
        assert float(size.diagonal) ** 2 == pytest.approx(exact, rel=1e-6, abs=1e-300)
    assert float(size.frobenius) == pytest.approx(3 * float(size.diagonal))


def test_what_is_read_is_not_written_over(certify) -> None:
    record = released()
    certify(record)
    content = Path("release.json").read_bytes()
    Path("release.html").write_bytes(content)
    done = CliRunner().invoke(app, ["certificate", "release.html"])
    assert done.exit_code == 2
    assert "'release.html' is read here" in done.stderr
    assert Path("release.html").read_bytes() == content


EXTREMES = [
    ("1e-40", "1"),
    ("1000000000", "1"),
    ("1", str(2**400)),
    ("1", f"1/{2**400}"),
    ("1/7", "12345678901/99999999977"),
]


@pytest.mark.parametrize(("epsilon", "bound"), EXTREMES)
@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_every_size(name, epsilon, bound, certify) -> None:
    if name in GAUSSIAN:
        epsilon = min(epsilon, "1000", key=Fraction)  # the search for the least Gaussian noise takes minutes beyond
    if name == "staircase":
        epsilon = str(min(max(Fraction(epsilon), LEAST_EPSILON), MOST_EPSILON))
    done = certify(released(name, epsilon=Fraction(epsilon), norm_bound=Fraction(bound)))
    assert done.exit_code == 0, done.output
    assert not re.search(r"\b(inf|nan|None)\b", words(page()))


def test_other_words_for_a_page(certify, tmp_path) -> None:
    record = released()
    refused(certify(record, "--output", "page.json"), "does not end in .html")
    (tmp_path / "folder.html").mkdir()
    done = certify(record, "--output", "folder.html")
    assert done.exit_code == 2
    assert "is a directory" in done.stderr
    assert certify(copy.deepcopy(record), "--output", "new/page.html").exit_code == 0
    assert json.loads(Path("release.json").read_text(encoding="utf-8")) == record, "the release is as it was"

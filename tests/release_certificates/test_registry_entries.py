"""An entry for the registry of deployments: valid, nothing in it invented, and what nobody said is a blank."""

from __future__ import annotations

import copy
import json
import os
import re
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.claims import State
from dpmatrix.claims.ledger import dump
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.release_certificates.contents import contents
from dpmatrix.release_certificates.reading import read_release
from dpmatrix.release_certificates.registry.details import CHOICES, FIELDS, LISTS, OPTIONAL, TIERS, slug, tier_of
from dpmatrix.release_certificates.registry.entry import ADDED
from dpmatrix.release_certificates.registry.markdown import columns, escaped
from dpmatrix.release_certificates.registry.yaml_text import Blank, lines, number, quoted
from dpmatrix.typesetting.prose import in_signs
from tests.release_certificates.registry_schema import FIELDS as SCHEMA
from tests.release_certificates.registry_schema import faults
from tests.release_certificates.releases import GAUSSIAN, NAMES, refused, released, standing_run

yaml = pytest.importorskip("yaml")  # comes with other packages of requirements.txt, and with no extra by name

BLANK = "[BLANK for the publisher: "
REFUSED_WHILE_BLANK = ["deployment.basic.data_product_type", "deployment.basic.publication_date"]
DETAILS: dict[str, Any] = {
    **{name: f"words on {name}" for tier in TIERS for name in tier},
    **{name: f"words on {name}" for name in OPTIONAL},
    **{name: values[0] for name, values in CHOICES.items()},
    **{name: [f"one of {name}", "another"] for name in LISTS},
    "name": "The data, & product",
    "publication_date": "2026-11-30",
}
ODD = (
    "a: b # c",
    "- item\n- item",
    "  leading\n\n  and trailing  ",
    "'quotes' and \"double\" \\ \\n",
    "\ttab",
    "*emphasis* `code` <b>bold</b> [a](b)",
    "{{ 7 * 7 }} ${x} %s",
    "null",
    "2026-01-01",
    "x\u2028 \ufeff \u202e \u00a0x",
    "\U0001f600 é 中",
    "| literal\n> folded\n--- end\n...",
    "&anchor *alias !tag @at %directive",
)


def wrote(certify, record: object, *more: object, details: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the entry that the command writes."""
    Path("entry.yaml").unlink(missing_ok=True)
    if details is not None:
        text = "\n".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in details.items())
        Path("details.toml").write_text(text, encoding="utf-8")
        more = (*more, "--details", "details.toml")
    done = certify(record, "--registry", "entry.yaml", *more)
    assert done.exit_code == 0, done.output
    assert done.stdout == "wrote release.html and entry.yaml\n"
    return yaml.safe_load(Path("entry.yaml").read_text(encoding="utf-8"))


def leaves(fields: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in fields.items():
        found |= leaves(value) if isinstance(value, dict) else {name: value}
    return found


def without_entry(done, *words: str) -> None:
    refused(done, *words)
    assert not Path("entry.yaml").exists()


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("name", NAMES)
def test_an_entry_is_valid_once_the_publisher_has_spoken(name, adjacency, certify) -> None:
    found = wrote(certify, released(name, adjacency), details=DETAILS)
    assert list(faults(found)) == []
    assert BLANK not in Path("entry.yaml").read_text(encoding="utf-8").partition("deployment:")[2]
    assert (found["status"], found["tier"]) == ("Draft", 3)
    assert found["url_slug"] == "the-data-product-one-of-data-curators-another-2026"


def test_what_nobody_said_is_a_blank(certify) -> None:
    """The checks of the registry refuse two of them; those that may be left out stand in comments."""
    found = wrote(certify, released())
    assert list(faults(found)) == REFUSED_WHILE_BLANK
    text = Path("entry.yaml").read_text(encoding="utf-8")
    marked = {line.split(":")[0].strip("# ") for line in text.splitlines() if line.strip().startswith("# ")}
    told = leaves(found)
    for name in (one for one in FIELDS if one not in ("notes", "registry_authors", "data_curators")):
        assert (name in marked) != (BLANK in str(told.get(name))), name
    assert told["registry_authors"][0].startswith(BLANK)
    assert told["data_curators"][0].startswith(BLANK)
    assert found["tier"] == 1
    assert text.startswith("url_slug: "), "the registry looks for it there"


@pytest.mark.parametrize("name", NAMES)
def test_what_the_release_and_its_claims_know_is_told(name, certify) -> None:
    record = released(name)
    told = leaves(wrote(certify, record))
    said = contents(read_release(Path("release.json")), None)
    facts = dict(said.facts) | dict(said.details) | dict(said.hazards)
    pure = name not in GAUSSIAN
    assert told["variant_name"] == ("Pure DP" if pure else "Approximate DP")
    assert told["epsilon"] == 1
    assert told.get("delta") == (None if pure else 1e-6)
    assert "replace-one" in told["privacy_unit_details"]
    assert told["privacy_unit"].startswith(facts["Unit of privacy"])
    assert all(escaped(sentence) in told["privacy_parameters_details"] for sentence in said.promise)
    assert "n = 50" in told["unprotected_quantities"]
    mechanisms = ("Mechanism", "Calibration", "Noise", "Grid", "Arithmetic", "Random bits", "Errors and time")
    for title in (*mechanisms, "What the proof does not cover"):
        assert escaped(facts[title]) in told["mechanisms"]
    assert f"The file says dpmatrix {record['dpmatrix']}" in told["mechanisms"]
    for one in said.foundations:
        assert f"{one.target} ({one.kind}): {escaped(in_signs(one.says))} ({one.printed}.)" in told["justification"]
        for words in (*one.proof, *(theorem.words for theorem in one.theorems)):
            assert escaped(in_signs(words)) in told["justification"]
    assert all(escaped(words) in told["justification"] for words in said.audits)
    assert all(escaped(words) in told["notes"] for _, words in said.hazards)
    assert sha256(Path("release.json").read_bytes()).hexdigest() in told["notes"]
    for words in ("secret", "once, by this library"):
        assert words in told["actors"]


def test_a_secret_number_of_records_stays_one(certify) -> None:
    wrote(certify, released(adjacency=Adjacency.ADD_REMOVE_ONE))
    text = Path("entry.yaml").read_text(encoding="utf-8")
    assert "The number of records is a secret" in text
    assert not re.search(r"\b50\b", text)


def test_no_released_value_is_in_an_entry(certify) -> None:
    record = released()
    wrote(certify, record)
    text = Path("entry.yaml").read_text(encoding="utf-8")
    for value in {
        str(value) for rows in (record["release"]["integers"], record["components"]) for row in rows for value in row
    }:
        assert len(value) < 5 or value not in text


def test_decimals_are_rounded_up_and_exact_numbers_stand_beside_them(certify) -> None:
    given = {"epsilon": Fraction(100, 7), "delta": Fraction(1, 3)}
    told = leaves(wrote(certify, released("gaussian", **given)))
    assert Fraction(str(told["epsilon"])) > Fraction(100, 7)
    assert Fraction(str(told["delta"])) > Fraction(1, 3)
    assert (
        "Exactly, epsilon = 100/7 and delta = 1/3. The decimals of the entry are rounded up."
        in told["privacy_parameters_details"]
    )
    exact = leaves(wrote(certify, released(epsilon=Fraction(1, 2))))
    assert "rounded" not in exact["privacy_parameters_details"]


@pytest.mark.parametrize(
    "value",
    [Fraction(1), Fraction(1, 10**6), Fraction(1, 3), Fraction(10**40), Fraction(2, 3 * 10**9), Fraction(10**16 + 1)],
)
def test_numbers_are_numbers_for_every_reader(value) -> None:
    """YAML 1.1 takes 1e-06 for a text: a number needs a point, and its exponent a sign."""
    text = number(value)
    assert re.fullmatch(r"[0-9]+\.[0-9]+(e[+-][0-9]+)?", text)
    assert isinstance(yaml.safe_load(text), float)
    assert value <= Fraction(text) <= value * (1 + Fraction(1, 10**14))


@pytest.mark.parametrize("odd", ODD)
def test_odd_characters_stay_what_they_are(odd, certify) -> None:
    details = DETAILS | {"name": odd, "notes": odd, "data_curators": [odd, "b"], "intended_use": odd}
    found = wrote(certify, released(), details=details)
    assert list(faults(found)) == []
    told = leaves(found)
    assert told["name"] == told["intended_use"] == told["data_curators"][0] == odd.strip()
    assert told["notes"].endswith(f"{ADDED}\n\n{odd.strip()}")
    assert found.keys() == SCHEMA.keys()


def test_what_the_publisher_says_is_told_as_that(certify) -> None:
    told = leaves(wrote(certify, released(), details=DETAILS))
    both = {name for name, value in told.items() if ADDED in str(value) and name != "notes"}
    for name in both:
        known, _, added = told[name].partition(f"\n\n{ADDED}\n\n")
        assert known
        assert added == DETAILS[name]
    assert both | {"notes"} | set(LISTS) | set(CHOICES) >= {
        *(name for tier in TIERS[1:] for name in tier),
        "description",
    }


def test_names_of_columns_cannot_be_markup(certify) -> None:
    names = ("a_b", "<script>alert(1)</script>", "`x` [y](https://example.org)")
    told = leaves(wrote(certify, released(columns=names)))
    assert "Columns: `a_b`, 2 names that stand in the file of the release alone." in told["data_domain"]
    text = Path("entry.yaml").read_text(encoding="utf-8")
    assert "alert" not in text
    assert "example.org" not in text
    assert columns(("x",) * 61).endswith("`x`, 1 name that stands in the file of the release alone.")


def test_sentences_are_no_markup() -> None:
    assert escaped("4**b s, W_1 _so_ `x` <b> [c] \\") == "4\\*\\*b s, W_1 \\_so\\_ \\`x\\` \\<b> \\[c\\] &#92;"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda record: record["guarantee"].update(epsilon="1/2"), "release: guarantee"),
        (lambda record: record["noise"].update(scale_in_grid_units="1"), "release: noise"),
        (lambda record: record.update(claims=["wishart.theorem-4"]), "release: claims"),
        (lambda record: record.update(invented="x"), "release: 'invented'"),
    ],
)
def test_an_altered_release_gets_no_entry(change, words, certify) -> None:
    record = copy.deepcopy(released())
    change(record)
    without_entry(certify(record, "--registry", "entry.yaml"), words)


def test_a_release_without_a_certificate_gets_no_entry(certify, tmp_path) -> None:
    done = certify(released(entropy=SeededEntropy(1)), "--registry", "entry.yaml")
    assert (done.exit_code, done.stdout) == (1, "wrote release.html\n")
    assert done.stderr == "no entry was written for the registry: the release has no certificate\n"
    ledger = tmp_path / "ledger.json"
    ledger.write_text(dump(standing_run(State.VIOLATED).to_json()), encoding="utf-8")
    assert certify(released(), "--registry", "entry.yaml", "--ledger", ledger).exit_code == 1
    assert not Path("entry.yaml").exists()


def test_a_file_that_exists_is_not_replaced(certify) -> None:
    Path("entry.yaml").write_text("mine", encoding="utf-8")
    refused(certify(released(), "--registry", "entry.yaml"), "registry: 'entry.yaml' exists already")
    assert Path("entry.yaml").read_text(encoding="utf-8") == "mine"
    Path("entry.yaml").unlink()
    Path("entry.yaml").symlink_to("elsewhere.yaml")
    refused(certify(released(), "--registry", "entry.yaml"), "registry: entry.yaml is a symbolic link")
    assert not Path("elsewhere.yaml").exists()


def test_a_file_that_appears_meanwhile_is_not_replaced(certify, monkeypatch) -> None:
    """After both looks at the name; then there is no certificate either, and no draft."""
    link = os.link

    def late(source, target) -> None:
        Path("entry.yaml").write_text("mine", encoding="utf-8")
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    refused(certify(released(), "--registry", "entry.yaml"), "registry: entry.yaml is there already")
    assert Path("entry.yaml").read_text(encoding="utf-8") == "mine"
    assert sorted(path.name for path in Path().iterdir()) == ["entry.yaml", "release.json"]


def test_a_directory_is_no_entry(certify) -> None:
    Path("entry.yaml").mkdir()
    refused(certify(released(), "--registry", "entry.yaml"), "registry: entry.yaml is a directory")
    assert not Path("release.html").exists()


def test_there_is_no_entry_without_its_page(certify, monkeypatch) -> None:
    def fail(self, target) -> None:
        raise OSError("no space")

    monkeypatch.setattr(Path, "replace", fail)
    assert certify(released(), "--registry", "entry.yaml").exit_code != 0
    assert sorted(path.name for path in Path().iterdir()) == ["release.json"]


@pytest.mark.parametrize("name", ["entry.json", "Entry.yaml", "my-entry.yaml", "entry.yaml.html", ".yaml"])
def test_names_that_the_registry_does_not_take(name, certify) -> None:
    refused(certify(released(), "--registry", name), "is not a name that the registry takes")
    assert not Path(name).exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = 'a'\nsurprise = 'b'", "details: 'surprise': the publisher cannot say this"),
        ("epsilon = 0.1", "details: 'epsilon'"),
        ("privacy_parameters = {epsilon = 0.1}", "details: 'privacy_parameters'"),
        ("name = ''", "details: name"),
        ("name = 3", "details: name"),
        ("name = 'a'\nname = 'b'", "details: it is not TOML"),
        ('name = "a\\u0007"', "details: name: it holds a control character"),
        (f"name = '{'x' * 20_000}'", "details: name"),
        (f"name = 'x {BLANK}y]'", "details: name: it is a blank still"),
        (f"name = '{BLANK.lower()}y]'", "details: name: it is a blank still"),
        ("name = ' [Blank For The Publisher: y] '", "details: name: it is a blank still"),
        ("name = '[BLANK  for\tthe publisher : y]'", "details: name: it is a blank still"),
        ('name = """[BLANK for\nthe publisher: y]"""', "details: name: it is a blank still"),
        ("name = '[\u200bBLANK for\u00a0the publisher: y]'", "details: name: it is a blank still"),
        ("name = '\uff3bBLANK for the publisher\uff1a y]'", "details: name: it is a blank still"),
        (f"data_curators = ['one', ' {BLANK.title()}y]']", "details: data_curators: it is a blank still"),
        ("name = ' \u200b\u2060 '", "details: name: it is no text, an empty one"),
        ("data_curators = 'one'", "details: data_curators: it is no list"),
        ("data_curators = []", "details: data_curators"),
        ("registry_authors = ['']", "details: registry_authors"),
        ("data_product_type = 'Matrix'", "use one of Summary statistics"),
        ("release_type = 'one release'", "details: release_type"),
        ("publication_date = '30.11.2026'", "details: publication_date: it is no day"),
        ("publication_date = '2026-02-30'", "details: publication_date"),
        ("publication_date = 2026-11-30T00:00:00", "details: publication_date"),
        ("not toml", "details: it is not TOML"),
        ("x" * (1 << 21), "details: it has more than"),
    ],
)
def test_details_that_are_none(text, words, certify) -> None:
    Path("details.toml").write_text(text, encoding="utf-8")
    without_entry(certify(released(), "--registry", "entry.yaml", "--details", "details.toml"), words)


def test_a_day_of_toml_is_a_day(certify) -> None:
    Path("details.toml").write_text("publication_date = 2026-11-30", encoding="utf-8")
    done = certify(released(), "--registry", "entry.yaml", "--details", "details.toml")
    assert done.exit_code == 0, done.output
    found = yaml.safe_load(Path("entry.yaml").read_text(encoding="utf-8"))
    assert found["deployment"]["basic"]["publication_date"] == "2026-11-30"


def test_options_that_do_not_fit(certify) -> None:
    record = released()
    Path("details.toml").write_text("", encoding="utf-8")
    refused(certify(record, "--details", "details.toml"), "registry: it is missing")
    refused(certify(record, "--registry", "entry.yaml", "--details", "none.toml"), "details: there is no file")
    wanted = ("--verify", "a", "--public-key", "b", "--registry", "entry.yaml")
    without_entry(certify(record, *wanted), "registry: nothing is written where a signature is checked")
    Path("page.html").write_text("name = 'a'", encoding="utf-8")
    done = CliRunner().invoke(
        app,
        ["certificate", "release.json", "--output", "page.html", "--registry", "entry.yaml", "--details", "page.html"],
    )
    assert "'page.html' is read here" in done.stderr
    assert Path("page.html").read_text(encoding="utf-8") == "name = 'a'"


def test_tiers_are_those_of_which_everything_was_said() -> None:
    assert tier_of({}) == 1
    assert tier_of(dict.fromkeys(TIERS[0], "x")) == 1
    assert tier_of(dict.fromkeys((*TIERS[0], *TIERS[1]), "x")) == 2
    assert tier_of(dict.fromkeys((*TIERS[1], *TIERS[2]), "x")) == 1
    assert tier_of(dict.fromkeys((*TIERS[0], *TIERS[1], *TIERS[2]), "x")) == 3


def test_the_slug_waits_for_all_of_its_parts() -> None:
    assert slug({"name": "a", "data_curators": ("b",)}) is None
    assert (
        slug({"name": "A b_c!", "data_curators": ("D", "E f"), "publication_date": "2026-01-02"}) == "a-b-c--d-e-f-2026"
    )


def test_blanks_in_yaml() -> None:
    found = list(lines({"a": Blank("x"), "b": Blank("y", needed=False), "c": {"d": ("e",)}}))
    assert found == [f'a: "{BLANK}x]"', f"# b: {BLANK}y]", "c:", "  d:", '    - "e"']
    assert yaml.safe_load(quoted("".join(ODD))) == "".join(ODD)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("url_slug", 3),
        ("status", "Done"),
        ("tier", 0),
        ("tier", True),
        ("surprise", "x"),
        ("deployment.basic.name", None),
        ("deployment.basic.data_curators", []),
        ("deployment.basic.data_product_type", "Matrix"),
        ("deployment.basic.publication_date", "1/1/2026"),
        ("deployment.privacy_loss.privacy_parameters.epsilon", "1"),
        ("deployment.privacy_loss.privacy_parameters.sigma", 1),
        ("deployment.administrative.registry_authors", [1]),
    ],
)
def test_the_schema_objects(place, value, certify) -> None:
    """The control: an entry that is changed in one place is faulty there."""
    found = wrote(certify, released(), details=DETAILS)
    *path, last = place.split(".")
    inner = found
    for name in path:
        inner = inner[name]
    inner[last] = value
    assert list(faults(found)) == [place]
    inner.pop(last)
    assert list(faults(found)) == ([place] if last not in ("surprise", "epsilon", "sigma") else [])

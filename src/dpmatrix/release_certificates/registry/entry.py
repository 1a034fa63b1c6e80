"""An entry for the registry of deployments: what a certificate says, and blanks for what only the publisher knows.

Names of fields are those of the schema of opendp/deployments-registry-data at commit
3e9c812a924cf01d228f26f6c462c59c391c3f2a. The registry shows texts as Markdown.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

from dpmatrix.atomic_files import refuse_unless_regular
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.release_certificates.contents import UNKNOWN, Contents
from dpmatrix.release_certificates.registry.details import CHOICES, DATE, Details, slug, tier_of
from dpmatrix.release_certificates.registry.markdown import columns, escaped, listed
from dpmatrix.release_certificates.registry.yaml_text import Blank, Plain, Value, lines, number
from dpmatrix.reporting.sentences import counted
from dpmatrix.typesetting.prose import in_signs

ADDED = "The publisher adds, and nothing here checked it:"
"""Stands before what the publisher says beside what the certificate says."""
_COMMENTS = (
    "# Filled in is what `dpmatrix certificate` knows of the release. [BLANK ...] marks what the publisher has to say.",
    "# The checks of the registry refuse a blank in the date and in the type of the product. Find the others as well.",
    "# Then raise the tier, and let scripts/update_slug.py of the registry make the slug.",
)
_FILE = re.compile(r"[a-z0-9_]+\.yaml", re.ASCII)


def refuse_unless_new(path: Path) -> None:
    """Make sure that a path can be the file of a new entry.

    Raises
    ------
    InvalidParameterError
        If the registry takes no file of that name, or something stands there already.
    """
    if not _FILE.fullmatch(path.name):
        problem = f"{path.name!r} is not a name that the registry takes"
        raise InvalidParameterError("registry", problem, "use a-z, 0-9 and _, and end in .yaml")
    refuse_unless_regular(path, "registry")
    if path.exists():
        # What the publisher filled in would be lost.
        raise InvalidParameterError("registry", f"{str(path)!r} exists already", "name another file, or remove it")


def entry(said: Contents, date: str, details: Details) -> str:
    """Write an entry in YAML.

    Parameters
    ----------
    said
        What the certificate says; it has to stand.
    date
        The day on which it is written.
    details
        What the publisher says.

    Raises
    ------
    InvalidParameterError
        If the release has no guarantee, or a claim that it rests on does not stand.
    """
    given = said.file.guarantee
    if given is None or not said.stands:
        problem = "the release is not private, or a claim that it rests on does not stand"
        raise InvalidParameterError("registry", problem, "register a release that has a certificate")
    found = slug(details)
    fields: dict[str, Value] = {
        "url_slug": Blank("made of name, curators and year").words if found is None else Plain(found),
        "status": "Draft",
        "tier": tier_of(details),
        "deployment": _Deployment(said, details).fields(given, date),
    }
    first, *others = lines(fields)
    # The registry looks for the slug at the very start of the file.
    return "\n".join([first, *_COMMENTS, *others]) + "\n"


class _Deployment:
    """Writes the fields of a deployment, each from what the certificate says and what the publisher adds."""

    def __init__(self, said: Contents, details: Details) -> None:
        self._said, self._details = said, details
        self._told = {**dict(said.facts), **dict(said.details), **dict(said.hazards)}

    def fields(self, given: PrivacyGuarantee, date: str) -> dict[str, Value]:
        """Return all of them, in the order of the schema."""
        return {
            "basic": self._basic(),
            "dp_variant": self._variant(given),
            "privacy_loss": self._loss(given),
            "deployment_model": self._model(),
            "accounting": self._accounting(),
            "implementation": self._implementation(),
            "administrative": self._administrative(date),
        }

    def _own(self, name: str, hint: str, *, needed: bool = True) -> Value:
        """Return what the publisher alone can say."""
        if name in CHOICES:
            hint = f"{hint}; one of {', '.join(CHOICES[name])}"
        return self._details.get(name, Blank(hint, needed))

    def _names(self, name: str, hint: str) -> Value:
        return self._details.get(name, (Blank(hint).words,))

    def _both(self, name: str, hint: str, *known: str) -> str:
        """Return what is known, and then what the publisher adds."""
        added = self._details.get(name)
        last = Blank(hint).words if added is None else f"{ADDED}\n\n{added}"
        return "\n\n".join((*known, last))

    def _items(self, *names: str) -> str:
        """Return facts of the certificate as a list, those of them that it has."""
        return listed((name, self._told[name]) for name in names if name in self._told)

    def _fact(self, *names: str) -> str:
        return escaped(" ".join(self._told[name] for name in names))

    def _basic(self) -> dict[str, Value]:
        about = "what the records are about, and what was released for whom"
        return {
            "name": self._own("name", "the name of the data product"),
            "data_curators": self._names("data_curators", "who publishes the data product"),
            "description": self._both("description", about, self._fact("Mechanism", "Size")),
            "intended_use": self._own("intended_use", "what the data product is for"),
            "data_product_type": self._own("data_product_type", "what kind of data product it is"),
            "data_product_region": self._own("data_product_region", "which region the data describe"),
            "publication_date": self._own(DATE, f"YYYY-MM-DD; the file says {self._said.file.released} of the release"),
            "data_product_sector": self._own("data_product_sector", "which sector the data describe", needed=False),
        }

    def _variant(self, given: PrivacyGuarantee) -> dict[str, Value]:
        file = self._said.file
        told = "the names of the columns, the bound, the grid and the parameters."
        if file.records is None:
            public = (
                f"Public, and released without noise: {told} The number of records is a secret, and is not released."
            )
        else:
            public = f"Public, and released without noise: the number of records, n = {file.records:,}; {told}"
        domain = f"Data sets of rows of {counted(file.dimension, 'number')}. {self._told['Bound']}"
        return {
            "variant_name": "Pure DP" if given.is_pure else "Approximate DP",
            "data_domain": self._both(
                "data_domain", "which data sets there could have been", escaped(domain), columns(file.columns)
            ),
            "unprotected_quantities": self._both(
                "unprotected_quantities", "what else was published without noise", public
            ),
        }

    def _loss(self, given: PrivacyGuarantee) -> dict[str, Value]:
        whom = "what or whom a record stands for, and how many records a person can have"
        numbers: dict[str, Value] = {"epsilon": given.epsilon, **({} if given.is_pure else {"delta": given.delta})}
        rows = (
            (counted(row.records, "record"), "nothing is guaranteed: delta would reach 1")
            if row.epsilon is None
            else (
                counted(row.records, "record"),
                f"epsilon {row.epsilon}, delta at most {row.delta}, odds change by a factor of at most {row.factor}",
            )
            for row in self._said.groups
        )
        return {
            "privacy_unit": self._both("privacy_unit", whom, self._fact("Unit of privacy")),
            "privacy_unit_details": self._fact("Neighbours", "Bound"),
            "privacy_parameters": numbers,
            "privacy_parameters_details": "\n\n".join(
                (
                    f"Exactly, epsilon = {given.epsilon} and delta = {given.delta}. {_rounded(given)}".strip(),
                    *map(escaped, self._said.promise),
                    f"For a person with several records:\n\n{listed(rows)}",
                )
            ),
        }

    def _model(self) -> dict[str, Value]:
        release = f"This entry is about one release, of {self._said.file.released}. {self._told['Several releases']}"
        (once,) = (topic.words for topic in self._said.topics if topic.section == "4.1")
        vouched = f"What no computation from the file can show, and whoever released vouches for: {'; '.join(UNKNOWN)}."
        details = "what more there is to say of the source"
        return {
            "model_name": "Central",
            "model_name_details": self._fact("Trust"),
            "actors": self._both(
                "actors",
                "who sees the records, the product, errors and times, and whom each of them trusts",
                self._fact("Trust"),
                vouched,
            ),
            "release_type": self._own("release_type", "whether there are other releases", needed=False),
            "release_type_details": self._both("release_type_details", "plans for other releases", escaped(release)),
            "data_source_type": self._own("data_source_type", "whether new data come in", needed=False),
            "data_source_type_details": self._own("data_source_type_details", details, needed=False),
            "access_type": "Non-interactive",
            "access_type_details": f"{once[0].upper()}{once[1:]}.",
        }

    def _accounting(self) -> dict[str, Value]:
        return {
            "post_processing": self._both(
                "post_processing", "what else was done to the release", self._fact("What is computed from it")
            ),
            "composition": self._both(
                "composition",
                "what else was released from these records, private or not, and out of which budget",
                self._fact("Several releases"),
            ),
        }

    def _implementation(self) -> dict[str, Value]:
        chosen = "how records were prepared, and how columns, bound, a subtracted point and epsilon were chosen"
        used = f"The file says dpmatrix {self._said.file.version}; that it was used, whoever released vouches for."
        kept = "who may read the records and how they are kept; where the code is"
        return {
            "preprocessing_and_hyperparameter_tuning": self._both(
                "preprocessing_and_hyperparameter_tuning",
                chosen,
                self._items("Records longer than the bound", "Choices"),
                "The file does not say how they were chosen.",
            ),
            "mechanisms": self._both("mechanisms", kept, self._mechanism(used)),
            "justification": self._both("justification", "why this mechanism and this epsilon", *self._validated()),
        }

    def _mechanism(self, used: str) -> str:
        parts = (
            self._items("Mechanism", "Choice", "Calibration", "Noise", "Grid"),
            listed([("Library", used), ("Floating point", self._told["Arithmetic"])]),
            self._items("Random bits", "What the proof does not cover", "Errors and time"),
            listed(self._said.utility),
        )
        return "\n".join(filter(None, parts))

    def _validated(self) -> list[str]:
        """Say what was validated and how: claims with their standing and who or what checked them, and audits."""
        claims = [
            (f"{one.target} ({one.kind})", f"{in_signs(one.says)} ({one.printed}.) {' '.join(map(in_signs, proof))}")
            for one in self._said.foundations
            for proof in ((*one.proof, *(theorem.words for theorem in one.theorems)),)
        ]
        why = [(name, words) for name, words in self._said.details if name.startswith("Why that holds")]
        return [
            f"What the guarantee rests on, with verdict and standing, and who or what checked it:\n\n{listed(claims)}",
            *([listed(why)] if why else []),
            f"Audits: {escaped(' '.join(self._said.audits))}",
        ]

    def _administrative(self, date: str) -> dict[str, Value]:
        file = self._said.file
        written = f"Written by `dpmatrix certificate` {file.version} on {date}"
        known = [
            f"{written} from a release of {file.released} whose file has the SHA-256 {file.sha256}.",
            "Every number of the release that public parameters give was computed again.",
            f"What the publisher says stands in fields of its own, or after the words: {ADDED[:-1]}.",
            f"Hazards:\n\n{listed(self._said.hazards)}",
        ]
        added = self._details.get("notes")
        return {
            "sources": self._own("sources", "links to the data product and to what was written of it", needed=False),
            "notes": "\n\n".join([*known, *([] if added is None else [f"{ADDED}\n\n{added}"])]),
            "registry_authors": self._names("registry_authors", "who filled out this entry"),
        }


def _rounded(given: PrivacyGuarantee) -> str:
    rounded = any(Fraction(number(value)) != value for value in (given.epsilon, given.delta) if value)
    return "The decimals of the entry are rounded up." if rounded else ""

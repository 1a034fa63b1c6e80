"""The reader's own copies of the documents, named by an environment variable."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from dpmatrix.printed.index import Entry, Index, SentencesError, of_documents
from dpmatrix.printed.units import Unit, units

VARIABLE = "DPMATRIX_DOCUMENTS"
"""Names a folder with one .txt file for each document."""

FORMS: Mapping[str, tuple[str, ...]] = {
    "the text of an HTML page, where each formula stands in signs, in words and in LaTeX": (
        "wishart",
        "compression",
        "sliding-window",
    ),
    "Markdown with formulas in LaTeX": ("analyze-gauss", "near-optimal"),
}
"""From what the indexes were made."""


def wanted(documents: Collection[str]) -> str:
    """Say where the copies of documents are looked for, how they are known, and how they are made."""
    forms = [(form, ", ".join(name for name in names if name in documents)) for form, names in FORMS.items()]
    made = [f"The index of {names} was made of {form}." for form, names in forms if names]
    return "\n".join(
        (
            f"To read them, name a folder in {VARIABLE} or by --documents.",
            f"It holds the text of each of these in a .txt file of any name: {', '.join(documents)}.",
            "A file is UTF-8, with empty lines between paragraphs.",
            "It is known by its words: it has most of what is in the index.",
            *made,
            "A formula in another form is not found.",
        )
    )


def folder_of_copies() -> Path | None:
    """Return the folder that the environment names, if it names one."""
    named = os.environ.get(VARIABLE, "")
    return Path(named) if named else None


def read_copies(folder: Path, indexes: Mapping[str, Index]) -> dict[str, list[Unit]]:
    """Return what each document prints, by its name.

    Raises
    ------
    SentencesError
        If the folder is none, or a document with an index is not in it.
    """
    if not folder.is_dir():
        raise SentencesError(f"{folder} is no folder; name one with the documents as .txt files in {VARIABLE}")
    printed = {path: units(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.txt"))}
    return {name: printed[path] for name, path in of_documents(folder, indexes, printed).items()}


def in_words(entries: Iterable[Entry], printed: Iterable[Unit]) -> list[tuple[Entry, str]]:
    """Return entries with what the document prints there, as far as the copy has it."""
    texts = {unit.key: unit.text for unit in printed}
    return [(entry, texts[entry.key]) for entry in entries if entry.key in texts]

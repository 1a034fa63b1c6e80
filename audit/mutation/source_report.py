"""The tables of runs on the library: what noticed its mutants, by module and kind of change."""

from __future__ import annotations

from mutation.report import HEADINGS
from mutation.source_operators import KINDS
from mutation.table import Layout

AUDITS = "`pytest audit`"
"""How the items of the audits are called."""

_EVERY = "Asked are items that run the changed line in their process."
_SOME = """Asked are items of the audits of releases that run
the changed line in their process, at least the most promising ones that took two seconds together when they were
traced; of some modules below `files`, `mechanisms`, `privacy` and `randomness` those alone that were written for them.
What is explained may be noticed by others."""

HEADINGS_OF_SOURCES = HEADINGS[: HEADINGS.index("survived") + 1]


def layout(suite: str, explanations: str) -> Layout:
    """Return what a table is of.

    Parameters
    ----------
    suite
        Who is asked, in words.
    explanations
        Name of the file that explains survivors.
    """
    head = f"""# Mutants of what releases, and what {suite} notices

Each row counts the changes of one kind to one module of the library, one at a time, by what became of them: killed by
an item that objected, that crashed, that could not be imported or that took too long; explained, one by one, in
`{explanations}`; or survived without an explanation. {_SOME if suite == AUDITS else _EVERY}
{{extent}}.
The code is a digest of what the module computes, words aside. A module is judged again when it has another digest, an
open mutant here, or another number of explanations. It is not judged again when tests alone change.

"""
    return Layout(head, KINDS, HEADINGS_OF_SOURCES)

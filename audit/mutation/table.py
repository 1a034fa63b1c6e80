"""Tables of mutants: what became of those of each module, as long as the module computes what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import attrs

from mutation.explanations import Explanations
from mutation.mutants import Module, Mutant
from mutation.report import HEADINGS, Record, counts, crashed
from mutation.selection import OPERATORS

LAST = ("all", "", "all")
"""How the row of the sums begins."""
NONE = "none"
"""The kind of change in the row of a module that has no mutant."""


@attrs.frozen
class Layout:
    """What a table is of.

    Parameters
    ----------
    head
        The text above it, with a place for its extent.
    kinds
        Kinds of change that are counted.
    headings
        Counts that are shown: the first ones of `HEADINGS`.
    """

    head: str
    kinds: Collection[str]
    headings: tuple[str, ...] = HEADINGS

    @property
    def columns(self) -> tuple[str, ...]:
        """Headings of all columns."""
        return ("module", "code", "change", *self.headings)


SPECIFICATION = Layout(
    """# Mutants of the specification, and of what it computes with

Each row counts the changes of one kind to one module, one at a time, by what became of them: killed by an item that
objected, that crashed, that could not be imported or that took too long; explained, one by one, in
`mutation_survivors.toml`; survived without an explanation; not part of what any claim computes; and noticed by
evidence while the fingerprint of the claim stayed the same. Items of evidence are asked about the specification, and
about modules named `dpmatrix`, with which it computes, their own tests, those that run the changed line.
{extent}.
The code is a digest of what the module computes, words aside. A module is judged again when it has another digest, an
open mutant here, or another number of explanations. It is not judged again when evidence alone changes.

""",
    OPERATORS,
)


OPEN = ("survived", "blind")
"""Counts of which a judged module has none."""


@attrs.frozen
class Row:
    """One kind of change to one module, and what became of its mutants, in the order of `HEADINGS`."""

    module: str
    code: str
    change: str
    counts: tuple[int, ...]

    def count(self, heading: str) -> int:
        """Return one of the counts; one that the table does not show is 0."""
        return dict(zip(HEADINGS, self.counts, strict=False)).get(heading, 0)


Rows: TypeAlias = Mapping[str, Sequence[Row]]
"""The rows of each module, by its short name."""


def read(path: Path, layout: Layout = SPECIFICATION) -> Rows:
    """Read the rows of a table; a file that does not exist has none.

    Raises
    ------
    LookupError
        If the file is no such table.
    """
    if not path.exists():
        return {}
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise LookupError(f"{path} cannot be read ({error}); name another file") from error
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    if len(cells) <= 2 or cells[0] != layout.columns or cells[-1][:3] != LAST:
        raise LookupError(f"{path} is no table of mutants, or no whole one; name another file, or remove it")
    found: dict[str, list[Row]] = {}
    for line in cells[2:-1]:
        if len(line) != len(layout.columns) or not all(cell.isdecimal() for cell in line[3:]):
            raise LookupError(f"{path} has a row that is none: {' | '.join(line)}; remove it")
        own = found.setdefault(line[0], [])
        if line[2] in {row.change for row in own}:
            raise LookupError(f"{path} has two rows of {line[0]}, {line[2]}; remove those of the module")
        own.append(Row(line[0], line[1], line[2], tuple(map(int, line[3:]))))
    return found


def standing(rows: Rows, modules: Collection[Module], explanations: Explanations) -> Rows:
    """Return the rows of modules with the code of today and no open mutant, and as many explanations as today."""
    codes = {module.short: module.code for module in modules}

    def stands(name: str, own: Sequence[Row]) -> bool:
        same = {row.code for row in own} == {codes.get(name)}
        closed = not any(row.count(heading) for row in own for heading in OPEN)
        return same and closed and sum(row.count("explained") for row in own) == len(explanations.get(name, {}))

    return {name: own for name, own in rows.items() if stands(name, own)}


def judged(
    records: Sequence[Record], modules: Collection[Module], found: Collection[Mutant], layout: Layout = SPECIFICATION
) -> Rows:
    """Return the rows of the modules of which every mutant has a record; whole numbers only where others crashed."""
    known = {f"{record['module']} {record['key']}" for record in records}
    crashes = crashed(records)
    places = {mutant.place for mutant in found if mutant.name in crashes}
    tried = [mutant for mutant in found if not mutant.edit.fallback or mutant.place in places]
    wanted = [mutant for mutant in tried if mutant.edit.operator in layout.kinds]
    missing = {mutant.module.short for mutant in wanted if mutant.name not in known}
    complete = {module.short: module.code for module in modules if module.short not in missing}
    kinds: dict[tuple[str, str], list[Record]] = {}
    for record in (record for record in records if record["operator"] in layout.kinds):
        kinds.setdefault((record["module"], record["operator"]), []).append(record)
    rows: dict[str, list[Row]] = {}
    shown = len(layout.headings)
    for (name, change), own in sorted(kinds.items()):
        if name in complete:
            rows.setdefault(name, []).append(Row(name, complete[name], change, tuple(counts(own)[:shown])))
    nothing = (0,) * shown
    return rows | {name: [Row(name, code, NONE, nothing)] for name, code in complete.items() if name not in rows}


def _lines(rows: Rows, layout: Layout) -> Iterator[Sequence[object]]:
    yield layout.columns
    yield ("---", "---", "---", *("--:" for _ in layout.headings))
    total: Counter[int] = Counter()
    for name in sorted(rows):
        for row in rows[name]:
            yield (row.module, row.code, row.change, *row.counts)
            total.update(dict(enumerate(row.counts)))
    yield (*LAST, *(total[place] for place in range(len(layout.headings))))


def text(rows: Rows, modules: Collection[Module], layout: Layout = SPECIFICATION) -> str:
    """Return the file: the same for the same rows."""
    extent = (
        "Every module was judged"
        if rows.keys() >= {module.short for module in modules}
        else f"{len(rows)} of {len(modules)} modules were judged, those below"
    )
    return layout.head.format(extent=extent) + "".join(
        f"| {' | '.join(map(str, line))} |\n" for line in _lines(rows, layout)
    )

"""The notebook of a document: its claims, each asked at a point, a table or figure of it, and a release."""

from __future__ import annotations

from collections.abc import Iterator

from dpmatrix import __version__
from dpmatrix.claims import Claim, Recorded, Truth, nearest
from dpmatrix.errors import InvalidParameterError
from dpmatrix.notebooks.cells import Cell, notebook_text
from dpmatrix.notebooks.releases import AGAIN, RELEASES, again_code
from dpmatrix.notebooks.selection import Question, fields_of, questions
from dpmatrix.notebooks.wording import claim_lines, plain, statement_lines
from dpmatrix.spec import accepted_run, documents, load

BETWEEN = ("cross", "beyond")
"""Groups of claims that are no document."""
READING = """\
## How to read a verdict

A claim is what the document says, in our words. It is executable: hypotheses and a conclusion, each a signed margin in
ball arithmetic. At a point the answer is **true**, **false** or **undecided**, and never a guess.

- *holds*, *well posed*, *executable as printed*, *reproduced*: the statement is true as the document states it. One
  point that agrees proves nothing; the evidence for all points is in the project.
- *holds, proof repaired*: true as stated; a step of the document's proof is false, and another proof is given.
- *holds with repair*, *ill posed*, *executable with repair*, *reproduced with a difference*: false as stated, and true
  after the change that stands beside it.
- *refuted*, *not executable*, *not reproducible*: false.
- *open*, *conditional*: not decided, or under named assumptions.

A verdict is *earned* where a run of the evidence bears it out; for one that only refutes, that confirms the refutation.
The accepted run is the last one that was looked at and committed. Below, each cell asks a statement at one point: at a
counterexample where the statement is false, elsewhere at a point where it is true. Change the numbers and run it again.
They are read exactly, so `1/3` and `1e-6` are what they say.
"""
SETUP = """\
from dpmatrix.notebooks import show, show_table
from dpmatrix.points.asking import ask
"""
NO_POINT = (
    "*No point is kept that shows this verdict.* The evidence has more: `python -m dpmatrix claims {name}`; the fields "
    "of a point of your own: `python -m dpmatrix claims {name} --fields`."
)


def notebook(document: str) -> str:
    """Return the notebook of one of the five documents, as JSON of nbformat 4.

    Every claim has its statement and its verdict. Its statement, and its repair where there is one, are asked at the
    point that is kept of them in ``spec/examples.json``, where that point shows what the verdict says.

    Parameters
    ----------
    document
        Its name, such as ``wishart``.

    Raises
    ------
    InvalidParameterError
        If it is none of the five.
    """
    known = [name for name in documents() if name not in BETWEEN]
    if document not in known:
        close = [name for name in nearest(document, known) if name in known]
        remedy = f"did you mean {close[0]}?" if close else f"pass one of {', '.join(known)}"
        problem = f"{document!r} is none of the documents"
        if document in documents():
            problem, remedy = f"{problem} and has no notebook", f"pass one of {', '.join(known)}"
        raise InvalidParameterError("document", problem, remedy)
    return notebook_text(list(_cells(document)))


def _cells(document: str) -> Iterator[Cell]:
    claims, recorded = [claim for claim in load() if claim.document == document], accepted_run()
    yield Cell(
        f"# {plain(documents()[document])}\n\n"
        f"The {len(claims)} claims of `{document}`, written by dpmatrix {__version__}, which the "
        "kernel has to have installed. Run the cells in order."
    )
    yield Cell(READING)
    yield Cell(SETUP, code=True)
    for claim in claims:
        yield from _claim(claim, recorded.get(claim.id))
    if document in AGAIN:
        target, _ = AGAIN[document]
        yield Cell(
            f"## Made again: `{target}`\n\nAt small parameters, which you can change; nothing of it is private. "
            f"`python -m dpmatrix reproduce {target} --takes` says which ones it takes. Without `--takes` it writes "
            "files with the document's parameters."
        )
        yield Cell(again_code(document), code=True, about={"again": target})
    if document in RELEASES:
        words, code = RELEASES[document]
        yield Cell(f"## A release on made-up data\n\n{words}")
        yield Cell(code, code=True, about={"release": document})


def _claim(claim: Claim, recorded: Recorded | None) -> Iterator[Cell]:
    asked = {one.statement.name: one for one in questions(claim)}
    yield Cell("\n\n".join([*claim_lines(claim, recorded), _outlook(asked.get(claim.id), claim.id)]))
    if claim.id in asked:
        yield _question(asked[claim.id])
    if claim.repair is not None:
        name = claim.repair.statement.name
        lines = [f"**The change** (`{name}`): {plain(claim.repair.change)}."]
        lines += statement_lines("Repaired statement", claim.repair.statement)
        yield Cell("\n\n".join([*lines, _outlook(asked.get(name), name)]))
        if name in asked:
            yield _question(asked[name])


def _outlook(question: Question | None, name: str) -> str:
    """Say what the cell below shows."""
    if question is None:
        return NO_POINT.format(name=name)
    where = "a counterexample" if question.answer is Truth.FALSE else "a point where it is true"
    if question.statement.exists and question.answer is Truth.FALSE:
        where = "a point where the given number, which it says exists, does not do; one point alone refutes nothing"
    return f"Asked at {where}:"


def _question(question: Question) -> Cell:
    name = question.statement.name
    point = ",\n    ".join(fields_of(question.point))
    code = f'found = ask("{name}", """\n    {point}\n""")\nshow(found)\n'
    return Cell(code, code=True, about={"statement": name, "answer": question.answer.value})

"""Traced statements as propositions of Rocq: for all fields, the hypotheses imply that the margin has its sign.

A hypothesis that is undefined at a point does not hold there, and a conclusion that is undefined is false there: the
divisors, logarithms, roots and powers of each are conjuncts beside its sign.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import attrs

from dpmatrix.claims import Statement
from dpmatrix.kernel.rocq import OPAQUE, comparison, identifier, term
from dpmatrix.tracing import Assertion, Case, Traced, UntraceableError, trace
from dpmatrix.tracing.expressions import ARITIES, Apply, Expression, Requirement, Sort, parts, requirements

LONGEST = 12_000
"""Characters of a proposition beyond which nobody reads it."""

_DEFINITION = re.compile(r"Definition (?P<name>\w+)(?P<given>(?: \(\w+ : [R >-]+\))*) : Prop :=\n")
_SPOKEN_OF = re.compile(r"\(\* (?P<statement>[\w.+/-]+): ")


@attrs.frozen
class Proposition:
    """One statement as a definition of Rocq.

    Parameters
    ----------
    statement
        Its name: ``claim``, ``claim+repair`` or ``claim/step``.
    name
        Name of the definition.
    opaque
        The functions that are parameters of the definition.
    text
        The definition, with a comment before it.
    """

    statement: str
    name: str
    opaque: tuple[str, ...]
    text: str

    @classmethod
    def written(cls, file: str) -> Iterator[Proposition]:
        """Read what a generated file defines."""
        for text in file.split("\n\n"):
            spoken_of, defined = _SPOKEN_OF.match(text), _DEFINITION.search(text)
            if spoken_of and defined:
                opaque = tuple(re.findall(r"\((\w+) :", defined["given"]))
                yield cls(spoken_of["statement"], defined["name"], opaque, text.rstrip("\n") + "\n")


def definition_name(statement: str) -> str:
    """Name the definition of a statement: that of ``wishart.theorem-4/positive`` is ``theorem_4__positive``."""
    local = statement.partition(".")[2]
    return identifier(local.replace("+repair", "_repaired").replace("/", "__").replace("-", "_"))


def proposition(statement: Statement, traced: Traced | None = None) -> Proposition:
    """Return a statement as a proposition about every point.

    Parameters
    ----------
    statement
        What is said.
    traced
        Its trace, where it has just been made; otherwise it is made here.

    Raises
    ------
    UntraceableError
        If it is not of every point, has no expression at every point, or one that is no function of real numbers;
        the text says why.
    """
    if statement.exists:
        raise UntraceableError("a sentence that says that numbers exist")
    if statement.instance or statement.data:
        raise UntraceableError("a sentence about one run or one datum")
    if statement.one_sided:
        raise UntraceableError("a margin that is no answer where it is positive")
    traced = trace(statement) if traced is None else traced
    if not traced.complete:
        counted = ", ".join(traced.counted)
        raise UntraceableError(f"counts with {counted}" if counted else "tuples or matrices of any size")
    name = definition_name(statement.name)
    bodies = [_body(case) for case in traced.cases]
    text = bodies[0] if len(bodies) == 1 else " /\\\n".join(f"  ({body.strip()})" for body in bodies)
    if len(text) > LONGEST:
        raise UntraceableError("a proposition that is too long to read")
    opaque = _opaque_functions(traced)
    given = "".join(f" ({function} : {'R -> ' * ARITIES[function]}R)" for function in opaque)
    comment = _comment(f"{statement.name}: {statement.says}")
    return Proposition(statement.name, name, opaque, f"{comment}\nDefinition {name}{given} : Prop :=\n{text}.\n")


def _opaque_functions(traced: Traced) -> tuple[str, ...]:
    """Return the functions of a statement that are a name and nothing more, in order."""
    margins = [margin for case in traced.cases for margin in _margins(case)]
    found = {part.name for part in parts(*margins) if isinstance(part, Apply)}
    return tuple(sorted(found & OPAQUE))


def _margins(case: Case) -> Iterator[Expression]:
    yield from (hypothesis.margin for hypothesis in case.hypotheses)
    yield case.conclusion.margin


def _body(case: Case) -> str:
    names = [(identifier(variable.name), variable.sort) for variable in case.variables]
    if len({name for name, _ in names}) < len(names):
        raise UntraceableError("two fields of one name")
    binders = "".join(f" ({name} : {'Z' if sort is Sort.INTEGER else 'R'})" for name, sort in names)
    lines = [f"  forall{binders},"] if binders else []
    for path, value in case.fixed.items():
        said = getattr(value, "value", value)
        lines.append(f"  {_comment(f'{path} is {said}')}")
    for hypothesis in case.hypotheses:
        lines += [f"  {_comment(hypothesis.says)}", f"  {_premise(asserted(hypothesis))} ->"]
    lines.append("  " + " /\\\n  ".join(asserted(case.conclusion)))
    return "\n".join(lines)


def asserted(assertion: Assertion) -> tuple[str, ...]:
    """Return the conjuncts of an assertion: what makes its margin defined, and the sign of it."""
    needed = dict.fromkeys(_required(one) for one in requirements(assertion.margin))
    return (*needed, f"0 {'<' if assertion.strict else '<='} {_loose(assertion.margin)}")


def _loose(margin: Expression) -> str:
    text = term(margin)
    return f"({text})" if text.startswith("if ") else text


def _premise(conjuncts: tuple[str, ...]) -> str:
    return conjuncts[0] if len(conjuncts) == 1 else "(" + " /\\ ".join(conjuncts) + ")"


def _required(needed: Requirement) -> str:
    wanted = "False" if needed.comparison is None else comparison(needed.comparison, needed.answer)
    if not needed.answers:
        return wanted
    way = itertools.chain((comparison(*answer) for answer in needed.answers), (wanted,))
    return f"({' -> '.join(way)})"


def _comment(words: str) -> str:
    """Write a comment; brackets and quotes that would open or close something in it are parted or left out."""
    plain = words.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
    return f"(* {' '.join(plain.split())} *)"

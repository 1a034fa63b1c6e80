"""The text of a point, taken apart: names, values and brackets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

import attrs

from dpmatrix.errors import InvalidParameterError

_TOKEN = re.compile(r'\s*(?:(?P<mark>[\[\](),=])|"(?P<quoted>[^"]*)"|(?P<word>[^\[\](),="\s]+))')
_CLOSING = {"[": "]", "(": ")"}
_Token: TypeAlias = tuple[str, str]


@attrs.frozen
class Group:
    """What stands between brackets: values, or values with names."""

    values: tuple[Tree, ...]
    named: Mapping[str, Tree]


Tree: TypeAlias = str | Group


def parse(text: str, name: str) -> Mapping[str, Tree]:
    """Take ``field=value,...`` apart.

    Raises
    ------
    InvalidParameterError
        If the text is not of this form, or gives a field twice.
    """
    found, rest = _items(_tokens(text, name), name, "")
    if rest or found.values:
        problem = f"{found.values[0]!r} has no name" if found.values else "a bracket is closed that was not opened"
        raise InvalidParameterError(name, problem, "write field=value,field=value")
    return found.named


def _tokens(text: str, name: str) -> list[_Token]:
    tokens, at = [], 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            raise InvalidParameterError(name, "a quotation mark is not closed", 'write "word"')
        tokens.append((str(match.lastgroup), match[str(match.lastgroup)]))
        at = match.end()
    return tokens


def _items(tokens: list[_Token], name: str, closing: str) -> tuple[Group, list[_Token]]:
    """Read items up to a closing bracket, or to the end; return them and the tokens that follow."""
    values: list[Tree] = []
    named: dict[str, Tree] = {}
    while tokens and tokens[0] != ("mark", closing):
        label = tokens[0][1] if len(tokens) > 1 and tokens[0][0] == "word" and tokens[1] == ("mark", "=") else None
        value, tokens = _value(tokens if label is None else tokens[2:], name)
        if label is None:
            values.append(value)
        elif label in named:
            raise InvalidParameterError(label, "it is given twice", "give it once")
        else:
            named[label] = value
        if tokens and tokens[0] == ("mark", ","):
            tokens = tokens[1:]
        elif tokens and tokens[0] != ("mark", closing):
            remedy = "separate values by commas, and write a number as digits or a fraction, such as 1e-6 or 1/3"
            raise InvalidParameterError(name, f"there is no comma before {tokens[0][1]!r}{_after(value)}", remedy)
    if closing and not tokens:
        raise InvalidParameterError(name, f"a bracket is not closed by {closing!r}", "close it")
    if values and named:
        raise InvalidParameterError(name, "some values have names and others beside them have none", "name all")
    return Group(tuple(values), named), tokens[1:] if closing else tokens


def _after(value: Tree) -> str:
    return f", after {value!r}" if isinstance(value, str) else ""


def _value(tokens: list[_Token], name: str) -> tuple[Tree, list[_Token]]:
    kind, token = tokens[0] if tokens else ("mark", "the end")
    if kind != "mark":
        return token, tokens[1:]
    if token not in _CLOSING:
        raise InvalidParameterError(name, f"a value is missing before {token!r}", "write field=value,field=value")
    return _items(tokens[1:], name, _CLOSING[token])

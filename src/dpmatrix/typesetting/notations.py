"""Three notations: Unicode for a terminal, LaTeX for papers, MathML for pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dpmatrix.typesetting.names import GREEK, Symbol
from dpmatrix.typesetting.writing import FUNCTIONS, POWER, PRODUCT

SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Unicode:
    """One line of text."""

    quotient = PRODUCT

    def number(self, value: int) -> str:
        """Write an integer that is not negative."""
        return str(value)

    def symbol(self, symbol: Symbol) -> str:
        """Write what stands for a number."""
        name = symbol.letter.replace(" ", "_")
        if symbol.below.isdecimal():
            return name + symbol.below.translate(SUBSCRIPTS)
        if symbol.below[:1].isalpha():
            return f"{name}_{symbol.below.replace(', ', '[', 1).replace(' ', '_')}{']' * (', ' in symbol.below)}"
        return f"{name}[{symbol.below}]" if symbol.below else name

    def constant(self, name: str) -> str:
        """Write pi or infinity."""
        return {"pi": "π", "infinity": "∞"}[name]

    def sum(self, left: str, sign: str, right: str) -> str:
        """Write a sum, or a difference."""
        return f"{left} {'−' if sign == '-' else sign} {right}"

    def negative(self, inside: str) -> str:
        """Write a sign before something."""
        return f"−{inside}"

    def product(self, left: str, right: str, *, close: bool) -> str:
        """Write a product; a point stands in all of them, or names would run together."""
        return f"{left}{'·' if close else ' · '}{right}"

    def over(self, above: str, below: str) -> str:
        """Write a quotient."""
        return f"{above}/{below}"

    def power(self, base: str, exponent: str, *, firm: bool) -> str:
        """Write a power."""
        if exponent.isdecimal():
            return base + exponent.translate(SUPERSCRIPTS)
        return f"{base}^{exponent}" if firm else f"{base}^({exponent})"

    def root(self, inside: str, *, firm: bool) -> str:
        """Write a square root."""
        return f"√{inside}" if firm and len(inside) == 1 else f"√({inside})"

    def fenced(self, left: str, inside: str, right: str) -> str:
        """Write something between two brackets of a kind."""
        return f"{left}{inside}{right}"

    def applied(self, function: str, arguments: Sequence[str]) -> str:
        """Write a function and what it is applied to."""
        return f"{FUNCTIONS[function].name}({', '.join(arguments)})"

    def relation(self, left: str, sign: str, right: str) -> str:
        """Write a relation."""
        return f"{left} {sign} {right}"

    def joined(self, parts: Sequence[str], word: str) -> str:
        """Write several formulas with a word between them."""
        return f" {word} ".join(parts)

    def cases(self, rows: Sequence[tuple[str, str | None]]) -> str:
        """Write a value for each condition."""
        written = [f"{value} if {condition}" if condition else f"{value} otherwise" for value, condition in rows]
        return f"{{{'; '.join(written)}}}"

    def words(self, text: str) -> str:
        """Write words inside a formula."""
        return text


LATEX_NAMES = {
    **{letter: f"\\{name}" for name, letter in GREEK.items() if name != "omicron"},
    "ε": r"\varepsilon",
    "ο": "o",
    "ς": r"\varsigma",
}
LATEX_SIGNS = {"≤": r"\le", "≥": r"\ge", "≠": r"\ne"}
LATEX_FENCES = {"|": (r"\left|", r"\right|"), "⌊": (r"\left\lfloor", ""), "⌋": ("", r"\right\rfloor")}
_KNOWN_FUNCTIONS = frozenset(
    {"min", "max", "exp", "log", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"}
)
_OF_TEXT = str.maketrans(
    {
        **{character: f"\\{character}" for character in "#$%&_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
)


def latex_text(text: str) -> str:
    """Write words so that LaTeX prints them as they are."""
    return text.translate(_OF_TEXT)


class Latex:
    """Formulas in LaTeX, with the package amsmath."""

    quotient = POWER

    def number(self, value: int) -> str:
        """Write an integer that is not negative."""
        return str(value)

    def symbol(self, symbol: Symbol) -> str:
        """Write what stands for a number."""
        known = LATEX_NAMES.get(symbol.letter, symbol.letter)
        name = known if symbol.is_letter else rf"\mathrm{{{latex_text(symbol.letter).replace(' ', '~')}}}"
        if not symbol.below:
            return name
        words = any(character.isalpha() for character in symbol.below)
        below = rf"\text{{{latex_text(symbol.below)}}}" if words else symbol.below
        return f"{name}_{{{below}}}"

    def constant(self, name: str) -> str:
        """Write pi or infinity."""
        return {"pi": r"\pi", "infinity": r"\infty"}[name]

    def sum(self, left: str, sign: str, right: str) -> str:
        """Write a sum, or a difference."""
        return f"{left} {sign} {right}"

    def negative(self, inside: str) -> str:
        """Write a sign before something."""
        return f"-{inside}"

    def product(self, left: str, right: str, *, close: bool) -> str:
        """Write a product."""
        return f"{left} {right}" if close else rf"{left} \cdot {right}"

    def over(self, above: str, below: str) -> str:
        """Write a quotient."""
        return rf"\frac{{{above}}}{{{below}}}"

    def power(self, base: str, exponent: str, *, firm: bool) -> str:  # noqa: ARG002 - braces hold it
        """Write a power."""
        return f"{{{base}}}^{{{exponent}}}"

    def root(self, inside: str, *, firm: bool) -> str:  # noqa: ARG002 - the bar holds it
        """Write a square root."""
        return rf"\sqrt{{{inside}}}"

    def fenced(self, left: str, inside: str, right: str) -> str:
        """Write something between two brackets of a kind."""
        opening = LATEX_FENCES.get(left, (rf"\left{left}", ""))[0]
        closing = LATEX_FENCES.get(right, ("", rf"\right{right}"))[1]
        return f"{opening} {inside} {closing}"

    def applied(self, function: str, arguments: Sequence[str]) -> str:
        """Write a function and what it is applied to."""
        name = FUNCTIONS[function].name
        if name in _KNOWN_FUNCTIONS:
            called = f"\\{name}"
        else:
            letters = "".join({"Γ": r"\Gamma", "γ": r"\gamma", "ζ": r"\zeta"}.get(letter, letter) for letter in name)
            called = letters if len(name) == 1 else rf"\operatorname{{{letters}}}"
        return rf"{called}\left({', '.join(arguments)}\right)"

    def relation(self, left: str, sign: str, right: str) -> str:
        """Write a relation."""
        return f"{left} {LATEX_SIGNS.get(sign, sign)} {right}"

    def joined(self, parts: Sequence[str], word: str) -> str:
        """Write several formulas with a word between them."""
        return rf" \quad\text{{{word}}}\quad ".join(parts)

    def cases(self, rows: Sequence[tuple[str, str | None]]) -> str:
        """Write a value for each condition."""
        written = [rf"{value} & \text{{if }} {one}" if one else rf"{value} & \text{{otherwise}}" for value, one in rows]
        listed = r" \\ ".join(written)
        return rf"\begin{{cases}} {listed} \end{{cases}}"

    def words(self, text: str) -> str:
        """Write words inside a formula."""
        return rf"\text{{{latex_text(text)}}}"


TIMES, CLOSE, APPLICATION = "⋅", "⁢", "⁡"
"""Multiplication with a sign and without one, and what stands between a function and its arguments."""


class MathML:
    """Presentation MathML, which browsers show without a script; a formula is what stands inside ``math``."""

    quotient = POWER

    def number(self, value: int) -> str:
        """Write an integer that is not negative."""
        return f"<mn>{value}</mn>"

    def symbol(self, symbol: Symbol) -> str:
        """Write what stands for a number."""
        name = f"<mi>{escape(symbol.letter)}</mi>"
        if not symbol.below:
            return name
        words = any(character.isalpha() for character in symbol.below)
        below = f"<mtext>{escape(symbol.below)}</mtext>" if words else f"<mn>{escape(symbol.below)}</mn>"
        return f"<msub>{name}{below}</msub>"

    def constant(self, name: str) -> str:
        """Write pi or infinity; pi stands upright, unlike a variable of that name."""
        return {"pi": '<mi mathvariant="normal">π</mi>', "infinity": "<mi>∞</mi>"}[name]

    def sum(self, left: str, sign: str, right: str) -> str:
        """Write a sum, or a difference."""
        return f"{left}{_sign('−' if sign == '-' else sign)}{right}"

    def negative(self, inside: str) -> str:
        """Write a sign before something."""
        return f"{_sign('−')}{inside}"

    def product(self, left: str, right: str, *, close: bool) -> str:
        """Write a product."""
        return f"{left}{_sign(CLOSE if close else TIMES)}{right}"

    def over(self, above: str, below: str) -> str:
        """Write a quotient."""
        return f"<mfrac>{_row(above)}{_row(below)}</mfrac>"

    def power(self, base: str, exponent: str, *, firm: bool) -> str:  # noqa: ARG002 - it stands above
        """Write a power."""
        return f"<msup>{_row(base)}{_row(exponent)}</msup>"

    def root(self, inside: str, *, firm: bool) -> str:  # noqa: ARG002 - the bar holds it
        """Write a square root."""
        return f"<msqrt>{inside}</msqrt>"

    def fenced(self, left: str, inside: str, right: str) -> str:
        """Write something between two brackets of a kind."""
        return f'<mrow><mo fence="true">{left}</mo>{_row(inside)}<mo fence="true">{right}</mo></mrow>'

    def applied(self, function: str, arguments: Sequence[str]) -> str:
        """Write a function and what it is applied to."""
        listed = _sign(",").join(map(_row, arguments))
        name = FUNCTIONS[function].name
        return f"<mrow><mi>{name}</mi>{_sign(APPLICATION)}{self.fenced('(', listed, ')')}</mrow>"

    def relation(self, left: str, sign: str, right: str) -> str:
        """Write a relation."""
        return f"<mrow>{_row(left)}{_sign(escape(sign))}{_row(right)}</mrow>"

    def joined(self, parts: Sequence[str], word: str) -> str:
        """Write several formulas with a word between them."""
        between = f'<mspace width="0.6em"/><mtext>{word}</mtext><mspace width="0.6em"/>'
        return f"<mrow>{between.join(parts)}</mrow>"

    def cases(self, rows: Sequence[tuple[str, str | None]]) -> str:
        """Write a value for each condition."""
        written = []
        for value, condition in rows:
            said = f'<mtext>if</mtext><mspace width="0.4em"/>{condition}' if condition else "<mtext>otherwise</mtext>"
            written.append(f"<mtr><mtd>{_row(value)}</mtd><mtd><mrow>{said}</mrow></mtd></mtr>")
        table = f'<mtable displaystyle="true">{"".join(written)}</mtable>'
        return f'<mrow><mo fence="true" stretchy="true">{{</mo>{table}</mrow>'

    def words(self, text: str) -> str:
        """Write words inside a formula."""
        return f"<mtext>{escape(text)}</mtext>"


def _sign(sign: str) -> str:
    return f"<mo>{sign}</mo>"


def _row(inside: str) -> str:
    return f"<mrow>{inside}</mrow>"

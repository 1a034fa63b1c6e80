"""Read MathML as this project writes it back into formulas; what is not understood is an error."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from dpmatrix.tracing.expressions import Apply, Choice, Comparison, Expression, Number, Undefined, Variable
from dpmatrix.typesetting.formulas import Cases, Formula, Joined, Relation, Settled
from dpmatrix.typesetting.writing import FUNCTIONS

RELATIONS = ("<", "≤", "=", "≠", ">", "≥")
PRODUCTS = ("⋅", "\u2062")
APPLICATION = "\u2061"


def called(name: str, count: int) -> str:
    """Return the operation of a function by its name and the number of its arguments."""
    from dpmatrix.tracing.expressions import ARITIES

    if name in ("min", "max"):
        return name
    return next(key for key, one in FUNCTIONS.items() if one.name == name and ARITIES[key] == count)


def shape(element: ET.Element) -> tuple:
    """Return what tells one symbol from another."""
    return element.tag, (element.text or ""), tuple(sorted(element.attrib.items())), tuple(map(shape, element))


@attrs.frozen
class Reader:
    """Reads formulas whose symbols are these."""

    symbols: Mapping[tuple, Variable]

    @classmethod
    def of(cls, symbols: Mapping[str, Variable]) -> Reader:
        """Take symbols as they are written."""
        return cls({shape(ET.fromstring(text)): variable for text, variable in symbols.items()})

    def formula(self, text: str) -> Formula:
        """Read what stands inside ``math``."""
        whole = ET.fromstring(f"<math>{text}</math>")
        assert len(whole) == 1, text
        return self._formula(whole[0])

    def _formula(self, element: ET.Element) -> Formula:
        if element.tag == "mtext":
            return Settled({"true": True, "false": False, "not defined": None}[element.text])
        assert element.tag == "mrow"
        inside = list(element)
        if inside[0].tag == "mo" and inside[0].text == "(":
            assert inside[-1].text == ")"
            return self._formula(_only(inside[1]))
        if inside[0].tag == "mo" and inside[0].text == "{":
            return Cases(tuple((condition, self._formula(value)) for condition, value in self._rows(inside[1])))
        words = [one.text for one in inside if one.tag == "mtext" and one.text in ("and", "or")]
        if words:
            assert len(set(words)) == 1
            kept = [one for one in inside if one.tag != "mspace" and one.text not in ("and", "or")]
            return Joined(words[0] == "and", tuple(map(self._formula, kept)))
        left, sign, right = inside
        assert sign.text in RELATIONS, sign.text
        return Relation(sign.text, self._row(list(left)), self._row(list(right)))

    def _rows(self, table: ET.Element) -> list[tuple[Formula | None, ET.Element]]:
        assert table.tag == "mtable"
        rows = []
        for row in table:
            value, said = row
            parts = [one for one in said[0] if one.tag != "mspace"]
            if parts[0].text == "otherwise":
                rows.append((None, _only(value[0])))
            else:
                assert parts[0].text == "if"
                rows.append((self._formula(parts[1]), _only(value[0])))
        assert [condition for condition, _ in rows].index(None) == len(rows) - 1
        return rows

    def _row(self, elements: Sequence[ET.Element]) -> Expression:
        """Read a sum of products."""
        found, sign, waiting = None, "+", list(elements)
        if waiting[0].tag == "mo" and waiting[0].text == "−":
            sign, waiting = "neg", waiting[1:]
        while waiting:
            place = next((i for i, one in enumerate(waiting) if one.tag == "mo" and one.text in ("+", "−")), None)
            product = self._product(waiting[:place])
            if found is None:
                found = Apply("neg", (product,)) if sign == "neg" else product
            else:
                found = Apply(sign, (found, product))
            if place is None:
                break
            sign, waiting = {"+": "+", "−": "-"}[waiting[place].text], waiting[place + 1 :]
            assert waiting
        assert found is not None
        return found

    def _product(self, elements: Sequence[ET.Element]) -> Expression:
        assert len(elements) % 2 == 1, [one.tag for one in elements]
        assert all(one.tag == "mo" and one.text in PRODUCTS for one in elements[1::2])
        found = self._one(elements[0])
        for element in elements[2::2]:
            found = Apply("*", (found, self._one(element)))
        return found

    def _one(self, element: ET.Element) -> Expression:
        inside = list(element)
        if shape(element) in self.symbols:
            return self.symbols[shape(element)]
        match element.tag:
            case "mn":
                return Number(Fraction(element.text))
            case "mi":
                return Apply({"π": "pi", "∞": "infinity"}[element.text], ())
            case "mfrac":
                return Apply("/", (self._one(inside[0]), self._one(inside[1])))
            case "msup":
                return Apply("^", (self._one(inside[0]), self._one(inside[1])))
            case "msqrt":
                return Apply("sqrt", (self._row(inside),))
            case "mtext":
                assert element.text == "not defined"
                return Undefined("not defined")
        assert element.tag == "mrow", element.tag
        if len(inside) == 3 and inside[1].tag == "mo" and inside[1].text == APPLICATION:
            return self._call(inside[0].text, inside[2])
        if inside[0].tag == "mo" and inside[0].attrib.get("fence"):
            if inside[0].text == "{":
                return self._choice(inside[1])
            fences = inside[0].text + inside[2].text
            value = self._row(list(inside[1]))
            return value if fences == "()" else Apply({"||": "abs", "⌊⌋": "floor"}[fences], (value,))
        return self._row(inside)

    def _call(self, name: str, fenced: ET.Element) -> Expression:
        opening, listed, closing = fenced
        assert (opening.text, closing.text) == ("(", ")")
        commas = [one for one in listed if one.tag == "mo" and one.text == ","]
        arguments = [self._row(list(one)) for one in listed if one not in commas]
        assert len(arguments) == len(commas) + 1
        operation = called(name, len(arguments))
        if operation in ("min", "max"):
            found = arguments[0]
            for argument in arguments[1:]:
                found = Apply(operation, (found, argument))
            return found
        return Apply(operation, tuple(arguments))

    def _choice(self, table: ET.Element) -> Expression:
        *rows, (_, last) = self._rows(table)
        found = self._one(last) if last.tag != "mrow" else self._row([last])
        for condition, value in reversed(rows):
            assert isinstance(condition, Relation)
            relation, exchanged, answer = {
                "<": ("<", False, True),
                ">": ("<", True, True),
                "≤": ("<", True, False),
                "≥": ("<", False, False),
                "=": ("=", False, True),
                "≠": ("=", False, False),
            }[condition.sign]
            sides = (condition.left, condition.right)[:: -1 if exchanged else 1]
            then = self._row([value])
            found = Choice(Comparison(relation, *sides), *((then, found) if answer else (found, then)))
        return found


def _only(row: ET.Element) -> ET.Element:
    """Return what stands alone in a row; the row itself where several things do."""
    return row[0] if row.tag == "mrow" and len(row) == 1 else row

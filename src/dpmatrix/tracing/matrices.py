"""Matrices of symbolic numbers, of given shapes."""

from __future__ import annotations

from collections.abc import Sequence

from dpmatrix.tracing.expressions import UntraceableError
from dpmatrix.tracing.symbolic import Symbolic, expression_of

MOST_ROWS = 6
"""Order up to which polynomials in all entries are written down."""


REASONS = {
    "complex_roots": "eigenvalues of an unknown matrix",
    "eig": "eigenvalues of an unknown matrix",
    "gcd": "eigenvalues of an unknown matrix",
}


def symbolic(value: object) -> Symbolic:
    """Return a number as a symbolic one; errors as in `expression_of`."""
    return Symbolic(expression_of(value))


class Polynomial:
    """A polynomial by its coefficients, from the constant one on."""

    def __init__(self, coefficients: Sequence[Symbolic]) -> None:
        self._coefficients = tuple(coefficients)

    def coeffs(self) -> list[Symbolic]:
        """Return the coefficients, from the constant one on."""
        return list(self._coefficients)

    def __getitem__(self, power: int) -> Symbolic:
        return self._coefficients[power]

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        raise UntraceableError(REASONS.get(name, f"`{name}` of an unknown polynomial"))


class Matrix:
    """The stand-in for flint's matrices of rationals, integers and balls.

    It is made from a list of rows, from another matrix, or from both numbers of its shape and its entries.
    """

    def __init__(self, *given: object) -> None:
        rows, columns, entries = _layout(given)
        if len(entries) != rows * columns:
            raise ValueError("list of entries has the wrong length")
        self._shape = rows, columns
        self._entries = [symbolic(entry) for entry in entries]

    def nrows(self) -> int:
        """Return the number of rows."""
        return self._shape[0]

    def ncols(self) -> int:
        """Return the number of columns."""
        return self._shape[1]

    def entries(self) -> list[Symbolic]:
        """Return all entries, row by row."""
        return list(self._entries)

    def tolist(self) -> list[list[Symbolic]]:
        """Return the rows."""
        return [self._entries[i * self.ncols() : (i + 1) * self.ncols()] for i in range(self.nrows())]

    table = tolist

    def transpose(self) -> Matrix:
        """Return the transposed matrix."""
        return Matrix(
            self.ncols(), self.nrows(), [self[i, j] for j in range(self.ncols()) for i in range(self.nrows())]
        )

    def charpoly(self) -> Polynomial:
        """Return det(t I - A), by the recursion of Faddeev and LeVerrier."""
        order = self._order()
        unit = Matrix(order, order, [symbolic(int(i == j)) for i in range(order) for j in range(order)])
        coefficients, product = [symbolic(1)], unit
        for step in range(1, order + 1):
            product = self * product
            coefficients.append(-product.trace() / step)
            product += unit * coefficients[-1]
        return Polynomial(coefficients[::-1])

    def trace(self) -> Symbolic:
        """Return the sum of the diagonal entries."""
        return sum((self[i, i] for i in range(self._order())), symbolic(0))

    def det(self) -> Symbolic:
        """Return the determinant, by expansion along the first row."""
        order = self._order()
        if order == 0:
            return symbolic(1)
        minors = (self._without(0, j).det() * self[0, j] * (-1) ** j for j in range(order))
        return sum(minors, symbolic(0))

    def inv(self) -> Matrix:
        """Return the inverse, by Cramer's rule.

        Raises
        ------
        ZeroDivisionError
            If the determinant is zero.
        """
        order, determinant = self._order(), self.det()
        if determinant == 0:
            raise ZeroDivisionError("matrix is singular")
        places = [(i, j) for i in range(order) for j in range(order)]
        return Matrix(order, order, [self._without(j, i).det() * (-1) ** (i + j) / determinant for i, j in places])

    def rank(self) -> int:
        """Return the rank, by elimination."""
        rows, found = self.tolist(), 0
        for column in range(self.ncols()):
            pivot = next((row for row in rows if row[column] != 0), None)
            if pivot is None:
                continue
            rest = [row for row in rows if row is not pivot]
            rows = [
                [pivot[column] * entry - row[column] * above for entry, above in zip(row, pivot, strict=True)]
                for row in rest
            ]
            found += 1
        return found

    def __getitem__(self, place: tuple[int, int]) -> Symbolic:
        return self._entries[self._place(place)]

    def __setitem__(self, place: tuple[int, int], value: object) -> None:
        self._entries[self._place(place)] = symbolic(value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Matrix) or other._shape != self._shape:
            return False
        return all(one == two for one, two in zip(self._entries, other._entries, strict=True))

    def __hash__(self) -> int:
        raise UntraceableError("an unknown matrix as a key")

    def __neg__(self) -> Matrix:
        return self * -1

    def __pos__(self) -> Matrix:
        return self

    def __add__(self, other: Matrix) -> Matrix:
        if self._shape != other._shape:
            raise ValueError("incompatible matrix shapes for addition")
        pairs = zip(self._entries, other._entries, strict=True)
        return Matrix(*self._shape, [one + two for one, two in pairs])

    def __sub__(self, other: Matrix) -> Matrix:
        return self + -other

    def __mul__(self, other: object) -> Matrix:
        if not isinstance(other, Matrix):
            return Matrix(*self._shape, [entry * other for entry in self._entries])
        if self.ncols() != other.nrows():
            raise ValueError("incompatible matrix shapes for multiplication")
        columns = other.transpose().tolist()
        return Matrix(
            self.nrows(),
            other.ncols(),
            [
                sum((one * two for one, two in zip(row, column, strict=True)), symbolic(0))
                for row in self.tolist()
                for column in columns
            ],
        )

    def __rmul__(self, other: object) -> Matrix:
        return self * other

    def __truediv__(self, other: object) -> Matrix:
        return self * (1 / symbolic(other))

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        raise UntraceableError(REASONS.get(name, f"`{name}` of an unknown matrix"))

    def _place(self, place: tuple[int, int]) -> int:
        row, column = (int(number) for number in place)
        if not (0 <= row < self.nrows() and 0 <= column < self.ncols()):
            raise IndexError("i,j")
        return row * self.ncols() + column

    def _order(self) -> int:
        rows, columns = self._shape
        if rows != columns:
            raise ValueError("matrix must be square")
        if rows > MOST_ROWS:
            raise UntraceableError("a large unknown matrix")
        return rows

    def _without(self, row: int, column: int) -> Matrix:
        places = [(i, j) for i in range(self.nrows()) for j in range(self.ncols()) if row != i and column != j]
        return Matrix(self.nrows() - 1, self.ncols() - 1, [self[place] for place in places])


def _layout(given: tuple[object, ...]) -> tuple[int, int, Sequence[object]]:
    match given:
        case (Matrix() as other,):
            return other.nrows(), other.ncols(), other.entries()
        case (list() | tuple() as rows,):
            return len(rows), len(rows[0]) if rows else 0, [entry for row in rows for entry in row]
        case (rows, columns):
            shape = int(rows), int(columns)  # type: ignore[call-overload]  # numbers of ours or of Python
            return *shape, [0] * (shape[0] * shape[1])
        case (rows, columns, entries):
            return int(rows), int(columns), list(entries)  # type: ignore[call-overload]  # likewise
    raise UntraceableError("a matrix of another make")

"""Evaluations term by term."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape

import numpy as np

from ._tablero import Position

__all__ = ["Explanation", "NetworkView", "Term"]

#: Terms that hold what is left over; tables show them last.
_REST = ("rest", "rounding", "limit")
#: Terms of a table, and moves of a policy.
_SHOWN = 20
_SHOWN_MOVES = 8


@dataclass(frozen=True)
class Term:
    """A term of an evaluation."""

    #: Its short name: "x1", "mobility"; of networks the square of a piece.
    name: str
    #: What it measures.
    about: str
    #: The value of the feature, for the side to move.
    value: float
    weight: float
    #: Value times weight.
    contribution: float
    #: Where it comes from: squares with their part of the value, or with its sign.
    squares: dict[str, float] = field(repr=False)


@dataclass(frozen=True)
class NetworkView:
    """What a network sees and says besides its value."""

    #: The legal moves with their probabilities, the highest first; of evolved networks their ratings.
    policy: dict[str, float]
    #: The input planes on the board, by what they show: arrays of shape (rows, columns).
    planes: dict[str, np.ndarray] = field(repr=False)
    #: Who will own each square at the end, 1 the side to move, -1 its opponent; None without such a head.
    ownership: np.ndarray | None = field(repr=False)
    #: How much the value changes by each piece, found by removing it; NaN where there is none to remove.
    saliency: np.ndarray = field(repr=False)


@dataclass(frozen=True)
class Explanation:
    """An evaluation of a position: the contributions of its terms sum to its value.

    Arrays of the board have the shape (rows, columns), from the top left as the position is drawn.
    """

    #: The line of the player whose evaluation it is, or the kind of a network.
    player: str
    position: Position = field(repr=False)
    #: The name of the side to move, whose value it is.
    side: str
    value: float
    #: The unit of the value: that of the game, or "result" for networks, from -1 (lost) to 1 (won).
    unit: str
    terms: list[Term]
    #: What else the evaluation depends on: the phase of the game, the bucket of an NNUE.
    facts: list[str]
    #: For networks with a policy.
    network: NetworkView | None
    #: The labels of the board, from the left and from the top.
    columns: list[str] = field(repr=False)
    rows: list[str] = field(repr=False)

    @classmethod
    def _of(cls, text: str, position: Position) -> Explanation:
        answer = json.loads(text)
        found, columns, rows = answer["explanation"], answer["columns"], answer["rows"]
        board = _Board(columns, rows)
        terms = [Term(**{**term, "squares": _squares(term["squares"])}) for term in found["terms"]]
        network = found.get("network")
        return cls(
            player=found["player"],
            position=position,
            side=found["side"],
            value=found["value"],
            unit=found["unit"],
            terms=terms,
            facts=found["facts"],
            network=None if network is None else board.network(network, terms),
            columns=columns,
            rows=rows,
        )

    def __getitem__(self, name: str) -> Term:
        """The term called so."""
        for term in self.terms:
            if term.name == name:
                return term
        raise KeyError(f"no term {name!r}; there are {', '.join(term.name for term in self.terms)}")

    @property
    def contributions(self) -> dict[str, float]:
        """What each term contributes."""
        return {term.name: term.contribution for term in self.terms}

    def board(self, name: str) -> np.ndarray:
        """A term's part on each square, 0 elsewhere."""
        return _Board(self.columns, self.rows).array(self[name].squares)

    def _table(self, count: int) -> tuple[list[Term], list[Term]]:
        """The terms that contribute most, and the others."""
        ordered = sorted(self.terms, key=lambda term: (term.name in _REST, -abs(term.contribution)))
        return ordered[:count], ordered[count:]

    def _title(self) -> str:
        unit = "(-1 lost, 1 won)" if self.unit == "result" else self.unit
        return f"{self.player}: {self.value:+.2f} {unit} for {self.side}"

    def __str__(self) -> str:
        shown, others = self._table(_SHOWN)
        width = max([len("term"), *(len(term.name) for term in shown)])
        lines = [self._title(), *self.facts]
        lines.append(f"{'term':<{width}}  {'value':>9}  {'weight':>9}  {'contribution':>12}")
        for term in shown:
            numbers = f"{term.value:>9.4g}  {term.weight:>9.4g}  {term.contribution:>+12.2f}"
            lines.append(f"{term.name:<{width}}  {numbers}  {term.about}")
        if others:
            rest = sum(term.contribution for term in others)
            lines.append(f"{len(others)} more terms, together {rest:+.2f}")
        if self.network is not None:
            policy = list(self.network.policy.items())[:_SHOWN_MOVES]
            lines += [f"{move:<8} {rating:>7.3f}" for move, rating in policy]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        shown, others = self._table(_SHOWN)
        cells = [
            f"<tr><td>{escape(term.name)}</td><td>{term.value:.4g}</td><td>{term.weight:.4g}</td>"
            f"<td><b>{term.contribution:+.2f}</b></td><td style='text-align:left'>{escape(term.about)}</td></tr>"
            for term in shown
        ]
        if others:
            rest = sum(term.contribution for term in others)
            cells.append(f"<tr><td colspan='3'>{len(others)} more</td><td>{rest:+.2f}</td><td></td></tr>")
        head = "".join(f"<th>{name}</th>" for name in ("term", "value", "weight", "contribution", ""))
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(cells)}</tbody></table>"
        facts = "".join(f"<br>{escape(fact)}" for fact in self.facts)
        return f"<p><b>{escape(self._title())}</b>{facts}</p>{table}"


@dataclass(frozen=True)
class _Board:
    """A board with labels."""

    columns: list[str]
    rows: list[str]

    def array(self, squares: dict[str, float], empty: float = 0.0) -> np.ndarray:
        """Numbers on squares."""
        board = np.full((len(self.rows), len(self.columns)), empty)
        places = {
            column + row: (y, x) for y, row in enumerate(self.rows) for x, column in enumerate(self.columns)
        }
        for square, value in squares.items():
            board[places[square]] = value
        return board

    def network(self, found: dict, terms: list[Term]) -> NetworkView:
        def plane(shown: dict) -> np.ndarray:
            if shown["constant"] is not None:
                return self.array({}, shown["constant"])
            return self.array(_squares(shown["squares"]))

        ownership = _squares(found["ownership"])
        pieces = {square: term.contribution for term in terms for square in term.squares if square == term.name}
        return NetworkView(
            policy={rated["move"]: rated["rating"] for rated in found["policy"]},
            planes={shown["about"]: plane(shown) for shown in found["planes"]},
            ownership=self.array(ownership) if ownership else None,
            saliency=self.array(pieces, np.nan),
        )


def _squares(found: list[dict]) -> dict[str, float]:
    return {square["square"]: square["value"] for square in found}

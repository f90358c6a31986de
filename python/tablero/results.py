"""What searches, matches, tournaments, reviews and comparisons return."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ._tablero import Record

__all__ = [
    "Analysis",
    "Choice",
    "ComparedPosition",
    "Comparison",
    "Judged",
    "Line",
    "MatchResult",
    "MoveReview",
    "Review",
    "Solution",
    "Standing",
    "TournamentResult",
]


@dataclass(frozen=True)
class Line:
    """A principal variation."""

    move: str
    #: For the side to move, in units of the game (discs, pawns); a win in n moves is 10000 - n.
    score: float
    #: The score as text: "+0.35", "#3".
    value: str
    #: The moves.
    line: list[str]


@dataclass(frozen=True)
class Analysis:
    """The search of a position."""

    #: The move to play.
    best: str
    #: Variations, the best first; several with `multipv`.
    lines: list[Line]
    depth: int
    seldepth: int
    #: Whether the scores are exact.
    exact: bool
    nodes: int
    #: Nodes per second.
    nps: int
    #: Seconds.
    time: float

    @property
    def score(self) -> float | None:
        """The score of the best line; None if the player has none."""
        return self.lines[0].score if self.lines else None

    @classmethod
    def _of(cls, text: str) -> Analysis:
        found = json.loads(text)
        return cls(**{**found, "lines": [Line(**line) for line in found["lines"]]})


@dataclass(frozen=True)
class Solution:
    """A solved position."""

    #: The margin of the side to move with perfect play, or its sign if only the outcome was asked for.
    score: int
    #: None if the game is over.
    best: str | None
    nodes: int
    empties: int
    seconds: float


@dataclass(frozen=True)
class MatchResult:
    """A match, from the first player's point of view."""

    players: tuple[str, str]
    games: int
    wins: int
    draws: int
    losses: int
    #: From 0 to 1.
    score: float | None
    #: Elo difference; None if one player won all games.
    elo: float | None
    #: Half the width of its 95 % confidence interval.
    elo_error: float | None
    #: Likelihood of superiority.
    los: float
    #: Log-likelihood ratio, with `sprt`.
    llr: float | None
    #: Pairs of games with 0, 1/2, 1, 3/2 and 2 points.
    pentanomial: list[int]
    #: Mean margin, in games that have one.
    first_margin_mean: float | None
    #: Nodes per second of each player.
    nps: list[float]
    illegal: int
    timeouts: int
    #: Wins, draws and losses with the first and the second side.
    as_first: list[int]
    as_second: list[int]
    by_side: list[int]
    #: Why it ended.
    end: str
    #: Forfeits: {"player", "reason", "games"}.
    faults: list[dict[str, Any]]
    #: The games, unless `records=False`.
    records: list[Record] = field(repr=False)

    @classmethod
    def _of(cls, text: str, records: list[Record]) -> MatchResult:
        found = json.loads(text)
        return cls(
            players=tuple(found["players"]), end=found["end"], faults=found["faults"], records=records, **found["summary"]
        )

    def __str__(self) -> str:
        error = "" if self.elo_error is None else f" ± {self.elo_error:.1f}"
        elo = "unknown: one player won every game" if self.elo is None else f"{self.elo:+.1f}{error}"
        first, second = self.players
        return f"{first} against {second}: {self.wins} won, {self.draws} drawn, {self.losses} lost; Elo {elo}"


@dataclass(frozen=True)
class Standing:
    """A player's rating in a tournament."""

    player: str
    #: Centred on 0.
    elo: float
    #: Half the width of its 95 % confidence interval.
    elo_error: float | None
    games: int
    score: float


@dataclass(frozen=True)
class TournamentResult:
    """A round-robin tournament."""

    #: In the order in which the players were given.
    players: list[Standing]
    #: Points of the row's player against the column's.
    table: list[list[Any]]
    #: The crosstable as text.
    text: str
    #: The games, unless `records=False`.
    records: list[Record] = field(repr=False)

    @classmethod
    def _of(cls, text: str, records: list[Record]) -> TournamentResult:
        found = json.loads(text)
        keys = ("player", "elo", "elo_error", "games", "score")
        players = [Standing(*(player.get(key) for key in keys)) for player in found["summary"]["players"]]
        return cls(players, found["summary"]["table"], found["text"], records)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class MoveReview:
    """A move of a review."""

    ply: int
    side: str
    move: str
    #: Score after the move, from the first player's point of view.
    value: str
    #: "best", "good", "inaccuracy", "mistake", "blunder".
    verdict: str
    #: In units of the game, unless a proven win or loss is involved.
    loss: float | None
    #: Of the expected score, from 0 to 1.
    chance_loss: float
    exact: bool
    #: The best variation before the move.
    line: list[str]


@dataclass(frozen=True)
class Review:
    """A game judged move by move."""

    game: str
    player: str
    #: Of both sides, from 0 to 100; None for a side without a choice.
    accuracy: tuple[float | None, float | None]
    #: The score of the starting position.
    start: str
    moves: list[MoveReview]
    #: The game with scores, marks and better variations.
    record: Record = field(repr=False)

    @classmethod
    def _of(cls, text: str, record: Record) -> Review:
        found = json.loads(text)
        moves = [MoveReview(**move) for move in found["moves"]]
        return cls(found["game"], found["player"], tuple(found["accuracy"]), found["start"], moves, record)


@dataclass(frozen=True)
class Choice:
    """What a player chooses."""

    move: str
    #: Its score, from the first side's point of view; None if the player reports none.
    value: str | None
    #: The principal variation.
    line: list[str]


@dataclass(frozen=True)
class Judged:
    """The judge's view of two different moves."""

    #: The scores after each, from the first side's point of view.
    values: tuple[str, str]
    #: The player with the better move, 0 or 1; None if both are equally good.
    right: int | None
    #: What the other move loses, in units of the game; None if a proven win or loss is involved.
    loss: float | None
    #: The same in expected score, from 0 to 1.
    chance_loss: float


@dataclass(frozen=True)
class ComparedPosition:
    """A position in which two players were compared."""

    #: Plies before it.
    ply: int
    side: str
    position: str
    #: The move of the game; None in the last position.
    played: str | None
    agree: bool
    choices: tuple[Choice, Choice]
    #: The difference of the players' own scores, in expected score.
    gap: float | None
    #: Where they differ, if there is a judge.
    judged: Judged | None

    @classmethod
    def _of(cls, found: dict[str, Any]) -> ComparedPosition:
        first, second = (Choice(**choice) for choice in found["choices"])
        judged = found["judged"]
        if judged is not None:
            judged = Judged(**{**judged, "values": tuple(judged["values"])})
        return cls(**{**found, "choices": (first, second), "judged": judged})


@dataclass(frozen=True)
class Comparison:
    """Two players compared: where they disagree, by how much, and who is right."""

    game: str
    players: tuple[str, str]
    judge: str | None
    #: Positions with a choice, and those in which both choose the same move.
    compared: int
    agreements: int
    #: Positions in which the judge finds the first or the second player's move better.
    right: tuple[int, int]
    #: The mean loss of each player against the other, in expected score from 0 to 1.
    mean_loss: tuple[float, float]
    positions: list[ComparedPosition] = field(repr=False)

    @classmethod
    def _of(cls, text: str) -> Comparison:
        found = json.loads(text)
        pairs = {name: tuple(found[name]) for name in ("players", "right", "mean_loss")}
        positions = [ComparedPosition._of(position) for position in found["positions"]]
        return cls(**{**found, **pairs, "positions": positions})

    @property
    def disagreements(self) -> list[ComparedPosition]:
        """The positions in which the players choose different moves."""
        return [position for position in self.positions if not position.agree]

    def __str__(self) -> str:
        lines = [f"A: {self.players[0]}", f"B: {self.players[1]}"]
        lines += [] if self.judge is None else [f"judge: {self.judge}"]
        for position in self.disagreements:
            first, second = (f"{choice.move} {choice.value or ''}".strip() for choice in position.choices)
            right = "" if position.judged is None else {0: "A", 1: "B", None: "equal"}[position.judged.right]
            lines.append(f"{position.ply + 1:>4}  {position.side:<7} {first:<16} {second:<16} {right}")
        lines.append(f"the same move in {self.agreements} of {self.compared} positions")
        if self.judge is not None:
            lines.append("right: A {}, B {}; mean loss: A {:.2%}, B {:.2%}".format(*self.right, *self.mean_loss))
        return "\n".join(lines)

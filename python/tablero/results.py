"""What searches, matches, tournaments and reviews return."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ._tablero import Record

__all__ = ["Analysis", "Line", "MatchResult", "MoveReview", "Review", "Solution", "Standing", "TournamentResult"]


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

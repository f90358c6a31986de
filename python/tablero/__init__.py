"""Board games, engines that play them, and how they learn.

>>> import tablero
>>> position = tablero.Position("othello").play("f5")
>>> position.legal_moves
['f4', 'd6', 'f6']
>>> tablero.best(position, "alphabeta depth=4") in position.legal_moves
True

`Position` is a game in progress, `Positions` many at once as NumPy arrays; `Player` searches, `match` and `tournament`
compare players, `Network` evaluates, `selfplay` and `Archive` hold games. `explain`, `tree` and `compare` show how
machines think; `train`, `learn`, `evolve`, `tune` and `experiment` teach them. `tablero.envs` has environments for reinforcement learning, `tablero.torch` the networks as PyTorch
modules.
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _tablero
from ._progress import bar
from ._tablero import Games, Network, Outcome, Player, Position, Positions, Record, __version__, action_outputs, games, perft, tensor_shapes
from .archive import Archive
from .explanation import Explanation, NetworkView, Term
from .learning import (
    Evolution,
    ExperimentResult,
    Learning,
    LearnOptions,
    Training,
    Tuning,
    evolve,
    experiment,
    experiment_plan,
    experiments,
    learn,
    train,
    tune,
)
from .results import (
    Analysis,
    Choice,
    ComparedPosition,
    Comparison,
    Judged,
    Line,
    MatchResult,
    MoveReview,
    Review,
    Solution,
    Standing,
    TournamentResult,
)
from .search_tree import SearchTree, TreeNode

__all__ = [
    "Analysis",
    "Archive",
    "Choice",
    "ComparedPosition",
    "Comparison",
    "Evolution",
    "ExperimentResult",
    "Explanation",
    "GameInfo",
    "Games",
    "Judged",
    "LearnOptions",
    "Learning",
    "Line",
    "MatchResult",
    "MoveReview",
    "Network",
    "NetworkView",
    "Outcome",
    "Player",
    "Position",
    "Positions",
    "Record",
    "Review",
    "SearchTree",
    "Solution",
    "Standing",
    "Term",
    "TournamentResult",
    "Training",
    "TreeNode",
    "Tuning",
    "__version__",
    "action_outputs",
    "analyse",
    "arrays",
    "best",
    "compare",
    "evaluations",
    "evolve",
    "experiment",
    "experiment_plan",
    "experiments",
    "explain",
    "game_info",
    "games",
    "learn",
    "match",
    "perft",
    "players",
    "read_games",
    "review",
    "selfplay",
    "solve",
    "table",
    "tensor_shapes",
    "tournament",
    "train",
    "tree",
    "tune",
    "weights",
    "write_games",
]

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class GameInfo:
    """The constants of a game."""

    name: str
    title: str
    #: The names of the two sides.
    sides: tuple[str, str]
    #: The rules variants, the standard one first.
    rules: list[str]
    #: The unit of scores.
    unit: str
    #: The unit of margins; None if there is only win, draw and loss.
    margin: str | None
    symmetries: int
    #: The size of the action space.
    actions: int
    #: The shape of the input planes.
    planes: tuple[int, int, int]
    policy_planes: int
    #: Lengths of the inputs "flat" and "absolute"; 0 if the game has none.
    flat: int
    absolute: int
    #: The named evaluations, the default first.
    evaluations: list[str]
    #: File formats.
    formats: list[str]
    #: The player line that `best`, `analyse` and `review` use by default.
    analyst: str


def game_info(game: str) -> GameInfo:
    """The constants of a game."""
    found = json.loads(_tablero.game_info(game))
    return GameInfo(**{**found, "sides": tuple(found["sides"]), "planes": tuple(found["planes"])})


def players(game: str) -> list[dict[str, Any]]:
    """The kinds of players of a game, with their options: what player lines consist of."""
    return json.loads(_tablero.players(game))


def weights(game: str) -> dict[str, list[str]]:
    """The weights that ship with the package: names for `net=` and `eval=` of player lines."""
    return json.loads(_tablero.weights(game))


def _position(game: str, text: str, rules: str) -> Position:
    """Restores a pickled position."""
    return Position(game, text, rules=rules)


def _player(game: str, player: str | Player | None, **options: Any) -> Player:
    if isinstance(player, Player):
        return player
    return Player(game, game_info(game).analyst if player is None else player, **options)


def best(
    position: Position,
    player: str | Player | None = None,
    *,
    time: float | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    threads: int | None = None,
) -> str:
    """The best move of a position.

    `player` is a line or a Player, by default the game's analyst; `time` (seconds), `nodes` and `depth` limit the
    search in addition to the line. All cores search unless `threads` says otherwise.
    """
    return _player(position.game, player, threads=threads).best(position, time=time, nodes=nodes, depth=depth)


def analyse(
    position: Position,
    player: str | Player | None = None,
    *,
    multipv: int = 1,
    time: float | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    threads: int | None = None,
    report: Callable[[int, int | None, str], Any] | None = None,
) -> Analysis:
    """The search of a position with the `multipv` best moves, their scores and variations; see `best`.

    `report(depth, None, text)` is called as the search proceeds.
    """
    searcher = _player(position.game, player, threads=threads, multipv=multipv)
    return Analysis._of(searcher._analyse(position, time=time, nodes=nodes, depth=depth, report=report))


def evaluations(game: str) -> list[dict[str, str]]:
    """The evaluations and networks that ship with the package: names for `explain`, and players that use them."""
    return json.loads(_tablero.explainable(game))


def explain(
    position: Position,
    player: str | Player | Network | None = None,
    *,
    eval: PathLike | None = None,
    net: PathLike | Network | None = None,
) -> Explanation:
    """The evaluation of a position term by term: features, weights, contributions.

    `player` is the name of an evaluation (see `evaluations`), a player line, a Player or a Network; by default the
    first evaluation of the game. Or `eval` names an evaluation or a file of evolved genomes or of an NNUE, or `net` a
    network, its file or the network itself. Of a network it shows planes, policy, ownership, and how much each piece
    matters.
    """
    name = None if eval is None else os.fspath(eval)
    network = os.fspath(net) if isinstance(net, os.PathLike) else net
    return Explanation._of(_tablero.explain(position, player, eval=name, net=network), position.copy())


def tree(
    position: Position,
    player: str | Player = "alphabeta depth=3",
    *,
    max_nodes: int = 200_000,
    time: float | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    report: Callable[[int, int | None, str], Any] | None = None,
) -> SearchTree:
    """The tree of the search of a position by minimax, alphabeta, mcts or puct; recording does not change the search.

    Beyond `max_nodes` the tree is summarised: by depth, or to the most visited nodes. See `best` for the limits.
    """
    searcher = _player(position.game, player, threads=1)
    recorded = searcher._tree(position, time=time, nodes=nodes, depth=depth, max_nodes=max_nodes, report=report)
    return SearchTree(recorded, position)


def compare(
    game: Record | Position,
    first: str | Player,
    second: str | Player,
    *,
    judge: str | Player | bool | None = None,
    along: bool = False,
    time: float = 0.3,
    judge_time: float = 1.0,
    threads: int | None = None,
    progress: bool = True,
) -> Comparison:
    """Compares two players on a position, or along a game: where they disagree, and who is right.

    Where they choose different moves, the judge (by default the game's analyst; None or True for it, False for no
    judge) searches the position after each: the player with the better move is right. Of a Position only the current
    one is compared, with `along` all positions of its history. `time` and `judge_time` are the seconds per position of
    the players and of the judge, unless their lines have a limit.
    """
    record = game.record() if isinstance(game, Position) else game
    if judge is None or judge is True:
        judge = game_info(record.game).analyst
    is_last = isinstance(game, Position) and not along
    if is_last and game.is_over:
        raise ValueError("the game is over: there is nothing to choose")
    with bar(progress, "positions") as report:
        return Comparison._of(
            _tablero.compare(
                record,
                first,
                second,
                None if judge is False else judge,
                from_ply=len(record) if is_last else 0,
                time=time,
                judge_time=judge_time,
                threads=threads,
                report=report,
            )
        )


def match(
    game: str,
    first: str | Player,
    second: str | Player,
    *,
    games: int = 100,
    openings: str | Sequence[Record] | None = None,
    rules: str | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    clock: float | str | None = None,
    max_plies: int | None = None,
    adjudicate: bool = False,
    sprt: tuple[float, float] | None = None,
    seed: int = 1,
    threads: int | None = None,
    records: bool = True,
    progress: bool = True,
) -> MatchResult:
    """Plays a match; every opening is played twice, with sides swapped.

    `openings` are "balanced" (the default), "start", "random=PLIES", "book", or records. `time` is seconds per move,
    `clock` seconds per game ("60+0.6" with an increment). `sprt=(elo0, elo1)` ends the match early.
    """
    with bar(progress, "games") as report:
        return MatchResult._of(
            *_tablero.play_match(
                game,
                first,
                second,
                games=games,
                openings=openings,
                rules=rules,
                depth=depth,
                nodes=nodes,
                time=time,
                clock=clock,
                max_plies=max_plies,
                adjudicate=adjudicate,
                sprt=sprt,
                seed=seed,
                threads=threads,
                records=records,
                report=report,
            )
        )


def tournament(
    game: str,
    players: Sequence[str | Player],
    *,
    games: int = 100,
    openings: str | Sequence[Record] | None = None,
    rules: str | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    clock: float | str | None = None,
    max_plies: int | None = None,
    adjudicate: bool = False,
    seed: int = 1,
    threads: int | None = None,
    records: bool = True,
    progress: bool = True,
) -> TournamentResult:
    """Plays a round-robin tournament with `games` per pairing; Elo ratings with error bars. See `match`."""
    with bar(progress, "games") as report:
        return TournamentResult._of(
            *_tablero.play_tournament(
                game,
                list(players),
                games=games,
                openings=openings,
                rules=rules,
                depth=depth,
                nodes=nodes,
                time=time,
                clock=clock,
                max_plies=max_plies,
                adjudicate=adjudicate,
                seed=seed,
                threads=threads,
                records=records,
                report=report,
            )
        )


def solve(
    position: Position, *, wld: bool = False, hash_mb: int = 256, threads: int | None = None
) -> Solution:
    """Solves a position exactly (Othello, Connect Four); with `wld` only who wins."""
    return Solution(**json.loads(_tablero.solve(position, wld=wld, hash_mb=hash_mb, threads=threads)))


def review(
    game: Record | Position,
    player: str | Player | None = None,
    *,
    time: float = 0.3,
    threads: int | None = None,
    progress: bool = True,
) -> Review:
    """Judges a game move by move: losses, verdicts, accuracy.

    `time` is the seconds per position, unless the player's line has a limit.
    """
    record = game.record() if isinstance(game, Position) else game
    searcher = None if player is None else _player(record.game, player, threads=threads)
    with bar(progress, "positions") as report:
        return Review._of(*_tablero.review(record, searcher, time=time, threads=threads, report=report))


def selfplay(
    game: str,
    player: str | Player,
    games: int,
    *,
    path: PathLike | None = None,
    rules: str | None = None,
    seed: int = 1,
    random_plies: int = 0,
    random_move_prob: float = 0.0,
    max_plies: int = 1000,
    threads: int | None = None,
    progress: bool = True,
) -> Games:
    """Plays games of a player against itself.

    With `path` (.jsonl) the games are written as they finish, and the same call resumes an interrupted run. A
    deterministic player needs some `random_plies` at the start.
    """
    player = _player(game, player, threads=1)
    if player.game != game:
        raise ValueError(f"a player of {player.game} cannot play {game}")
    options: dict[str, Any] = {
        "rules": rules,
        "seed": seed,
        "random_plies": random_plies,
        "random_move_prob": random_move_prob,
        "max_plies": max_plies,
        "threads": threads,
    }
    with bar(progress, "games") as report:
        if path is not None:
            return _tablero.selfplay(player, games, Path(path), report=report, **options)
        with tempfile.TemporaryDirectory(prefix="tablero-") as folder:
            return _tablero.selfplay(player, games, Path(folder, "games.jsonl"), report=report, **options)


def read_games(path: PathLike, *, game: str | None = None, format: str | None = None) -> list[Record]:
    """Reads the games of a file (PGN, GGF, WTHOR, ...); game and format are detected unless given.

    Games that cannot be read are skipped with a warning.
    """
    found, skipped = _tablero.read_games(Path(path), game=game, format=format)
    for problem in skipped[:10]:
        warnings.warn(f"{path}: skipped {problem}", stacklevel=2)
    return found


def write_games(path: PathLike, games: Iterable[Record], *, format: str | None = None) -> None:
    """Writes games to a file, whose extension tells the format unless it is given."""
    _tablero.write_games(Path(path), list(games), format=format)


def arrays(
    games: Iterable[Record] | Games, view: str = "planes", *, threads: int | None = None
) -> dict[str, np.ndarray]:
    """The positions of games in which a move was played, as NumPy arrays with one row per position.

    - `input`: the position as a network sees it (`view` as in Position.planes), float32
    - `action`: the move played, int64
    - `result`: 1, 0 or -1 for the side to move, NaN if unknown; `margin`: of the first side
    - `value`: the value of the search for the side to move, NaN if there is none
    - `side`, `game`, `ply`
    - policy targets of searches, sparse: those of row i are `policy_actions` and `policy_probs` at
      `policy_offsets[i]:policy_offsets[i + 1]`
    """
    if isinstance(games, Games):
        return games.arrays(view, threads=threads)
    return _tablero.record_arrays(list(games), view=view, threads=threads)


def table(games: Iterable[Record] | Games) -> Any:
    """The positions of games as an Arrow table (needs pyarrow): game, ply, side, position, move, result, ...."""
    import pyarrow

    records = games.records() if isinstance(games, Games) else list(games)
    columns: dict[str, list[Any]] = {
        name: [] for name in ("game", "ply", "side", "position", "move", "value", "margin", "ending", "first", "second")
    }
    for number, record in enumerate(records):
        moves, values, outcome = record.moves, record.values, record.outcome
        texts = record.positions().texts()
        sides = record.positions().sides.tolist()
        rows = len(moves)
        columns["game"] += [number] * rows
        columns["ply"] += range(rows)
        columns["side"] += sides[:rows]
        columns["position"] += texts[:rows]
        columns["move"] += moves
        columns["value"] += values
        columns["margin"] += [None if outcome is None else outcome.margin] * rows
        columns["ending"] += [None if outcome is None else outcome.ending] * rows
        columns["first"] += [record.players[0]] * rows
        columns["second"] += [record.players[1]] * rows
    types = {
        "game": pyarrow.int32(),
        "ply": pyarrow.int32(),
        "side": pyarrow.int8(),
        "margin": pyarrow.int16(),
    }
    return pyarrow.table(
        {name: pyarrow.array(values, types.get(name, pyarrow.string())) for name, values in columns.items()}
    )

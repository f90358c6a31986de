"""Moves per second of processor time in random games: this package in batches and one by one, python-chess, OpenSpiel.

    python python/benchmarks/batch.py [--seconds 5] [--json]

python-chess and OpenSpiel are left out where they are not installed (packages `chess`, `open_spiel`).
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable

import numpy as np

import tablero
from tablero import Position, Positions

#: OpenSpiel's names of our games.
OPEN_SPIEL = {"othello": "othello", "chess": "chess", "connectfour": "connect_four", "tictactoe": "tic_tac_toe"}
COUNT = 4096


def rate(play: Callable[[int], int], seconds: float) -> float:
    """Moves per second of processor time, so that other work on the machine does not count.

    `play(seed)` returns the number of moves that it played.
    """
    play(0)
    moves, start, seed = 0, time.process_time(), 1
    while time.process_time() - start < seconds:
        moves += play(seed)
        seed += 1
    return moves / (time.process_time() - start)


def playouts(game: str, threads: int) -> Callable[[int], int]:
    """Whole random games in one call."""
    start = Positions(game, COUNT)
    return lambda seed: int(start.playouts(1, seed, threads=threads)[1].sum())


def steps(game: str, threads: int) -> Callable[[int], int]:
    """Actions chosen and played from Python, as a learner does: sample, play, see who is over."""

    def play(seed: int) -> int:
        positions, moves = Positions(game, COUNT), 0
        for ply in range(40):
            actions = positions.sample_actions(1000 * seed + ply, threads=threads)
            positions.play(actions, threads=threads)
            moves += int((actions >= 0).sum())
        return moves

    return play


def learner_steps(game: str, threads: int) -> Callable[[int], int]:
    """As a learner with a network: planes and legal actions, a choice among them in NumPy, play."""

    def play(seed: int) -> int:
        positions, moves = Positions(game, COUNT // 8), 0
        planes, rng = positions.planes(threads=threads), np.random.default_rng(seed)
        for _ in range(20):
            positions.planes(out=planes, threads=threads)
            legal, offsets = positions.legal_actions(threads=threads)
            if len(legal) == 0:
                break
            first, counts = offsets[:-1], np.diff(offsets)
            chosen = first + (rng.random(len(counts)) * counts).astype(np.int64)
            # Where the game is over there is nothing to choose; its offset may be the end of the array.
            actions = np.where(counts > 0, legal[np.minimum(chosen, len(legal) - 1)].astype(np.int64), -1)
            positions.play(actions, threads=threads)
            moves += int((counts > 0).sum())
        return moves

    return play


def masked_steps(game: str, threads: int) -> Callable[[int], int]:
    """The same with a mask of all actions, in arrays of the caller's."""

    def play(seed: int) -> int:
        positions, moves = Positions(game, COUNT // 8), 0
        planes, mask = positions.planes(threads=threads), positions.legal_mask(threads=threads)
        for ply in range(20):
            positions.planes(out=planes, threads=threads)
            positions.legal_mask(out=mask, threads=threads)
            actions = positions.sample_actions(1000 * seed + ply, threads=threads)
            positions.play(actions, threads=threads)
            moves += int((actions >= 0).sum())
        return moves

    return play


def one_by_one(game: str) -> Callable[[int], int]:
    """A Python call for every move."""

    def play(seed: int) -> int:
        rng, position = random.Random(seed), Position(game)
        while not position.is_over and position.plies < 200:
            position.play(rng.choice(position.legal_actions))
        return position.plies

    return play


def python_chess(seed: int) -> int:
    import chess

    rng, board = random.Random(seed), chess.Board()
    moves = list(board.legal_moves)
    while moves and board.ply() < 200 and not board.is_insufficient_material():
        board.push(rng.choice(moves))
        moves = list(board.legal_moves)
    return board.ply()


def open_spiel(name: str) -> Callable[[int], int]:
    import pyspiel

    game = pyspiel.load_game(name)

    def play(seed: int) -> int:
        rng, state, moves = random.Random(seed), game.new_initial_state(), 0
        while not state.is_terminal() and moves < 200:
            state.apply_action(rng.choice(state.legal_actions()))
            moves += 1
        return moves

    return play


def measurements(game: str, threads: int) -> list[tuple[str, Callable[[int], int]]]:
    found = [
        ("tablero, playouts", playouts(game, threads)),
        ("tablero, sample and play", steps(game, threads)),
        ("tablero, planes, legal actions, choose, play", learner_steps(game, threads)),
        ("tablero, planes, masks, sample and play", masked_steps(game, threads)),
        ("tablero, one by one", one_by_one(game)),
    ]
    if game == "chess":
        try:
            import chess  # noqa: F401

            found.append(("python-chess", python_chess))
        except ImportError:
            pass
    if game in OPEN_SPIEL:
        try:
            found.append(("OpenSpiel", open_spiel(OPEN_SPIEL[game])))
        except ImportError:
            pass
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", nargs="*", default=tablero.games())
    parser.add_argument("--seconds", type=float, default=5.0, help="time per figure")
    parser.add_argument("--json", action="store_true", help="one JSON object per figure")
    arguments = parser.parse_args()
    for game in arguments.games:
        for name, play in measurements(game, threads=1):
            value = rate(play, arguments.seconds)
            if arguments.json:
                print(json.dumps({"game": game, "name": name, "value": value, "unit": "moves/s", "threads": 1}))
            else:
                print(f"{game:12} {name:46} {value:14,.0f} moves/s", flush=True)


if __name__ == "__main__":
    main()

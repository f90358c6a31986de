"""Many games at once."""

from __future__ import annotations

import numpy as np

from .. import Positions


class VectorGames:
    """Many games at once, for learners that want throughput: NumPy in, NumPy out.

    >>> from tablero.envs import VectorGames
    >>> games = VectorGames("othello", 4)
    >>> planes, mask = games.observe()
    >>> rewards, over = games.step(games.positions.sample_actions(seed=1))
    >>> planes.shape, mask.shape, rewards.shape
    ((4, 4, 8, 8), (4, 65), (4, 2))
    """

    def __init__(self, game: str, count: int, *, rules: str | None = None) -> None:
        self._start = Positions(game, count, rules=rules)
        self.positions = self._start.copy()

    def reset(self) -> None:
        """Starts all games anew."""
        self.positions = self._start.copy()

    def observe(self) -> tuple[np.ndarray, np.ndarray]:
        """Planes and legal-action masks."""
        return self.positions.planes(), self.positions.legal_mask()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Plays an action in each game (-1 in those that are over); returns rewards, (games, 2), and which are over.

        Rewards are those of games that end with this move.
        """
        was_over = self.positions.is_over()
        self.positions.play(actions)
        over = self.positions.is_over()
        results = np.sign(self.positions.margins()).astype(np.float32) * (over & ~was_over)
        return np.stack([results, -results], axis=1), over

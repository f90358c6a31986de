"""Environments for reinforcement learning.

- `tablero.envs.VectorGames`: many games at once, NumPy in and out
- `tablero.envs.pettingzoo`: PettingZoo's AEC interface (needs the package pettingzoo)
- `tablero.envs.openspiel`: the interface of OpenSpiel's games and states, without the package
"""

from .vector import VectorGames

__all__ = ["VectorGames"]

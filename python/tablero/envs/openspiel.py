"""Games with the interface of OpenSpiel (`pyspiel`): algorithms written for it run on the games of this package.

>>> from tablero.envs import openspiel
>>> state = openspiel.load_game("othello").new_initial_state()
>>> state.apply_action(state.legal_actions()[0])
>>> state.current_player(), state.is_terminal()
(1, False)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import GameInfo, Position, game_info, games

TERMINAL_PLAYER = -4
#: OpenSpiel wants a bound; games of chess are as long as the rules allow.
_MAX_LENGTH = {"othello": 128, "chess": 17_697, "shobu": 400, "connectfour": 42, "tictactoe": 9}


def registered_names() -> list[str]:
    """The names that `load_game` knows."""
    return games()


def load_game(name: str, *, rules: str | None = None) -> Game:
    """The game of that name."""
    return Game(name, rules=rules)


class Game:
    """A game, as pyspiel.Game."""

    def __init__(self, name: str, *, rules: str | None = None) -> None:
        self.info: GameInfo = game_info(name)
        self.rules = rules
        Position(name, rules=rules)

    def new_initial_state(self, text: str = "start") -> State:
        return State(self, Position(self.info.name, text, rules=self.rules))

    def num_players(self) -> int:
        return 2

    def num_distinct_actions(self) -> int:
        return self.info.actions

    def max_game_length(self) -> int:
        return _MAX_LENGTH.get(self.info.name, 100_000)

    def min_utility(self) -> float:
        return -1.0

    def max_utility(self) -> float:
        return 1.0

    def utility_sum(self) -> float:
        return 0.0

    def observation_tensor_shape(self) -> list[int]:
        return list(self.info.planes)

    def observation_tensor_size(self) -> int:
        return int(np.prod(self.info.planes))

    def get_parameters(self) -> dict[str, Any]:
        return {} if self.rules is None else {"rules": self.rules}

    def __str__(self) -> str:
        return f"{self.info.name}()" if self.rules is None else f"{self.info.name}(rules={self.rules})"


class State:
    """A state of a game, as pyspiel.State."""

    def __init__(self, game: Game, position: Position) -> None:
        self._game = game
        #: The position, with all its methods.
        self.position = position
        self._actions: list[int] = []

    def get_game(self) -> Game:
        return self._game

    def current_player(self) -> int:
        return TERMINAL_PLAYER if self.position.is_over else self.position.side

    def is_terminal(self) -> bool:
        return self.position.is_over

    def is_chance_node(self) -> bool:
        return False

    def is_simultaneous_node(self) -> bool:
        return False

    def legal_actions(self, player: int | None = None) -> list[int]:
        if player is not None and player != self.current_player():
            return []
        return sorted(self.position.legal_actions.tolist())

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        mask = np.zeros(self._game.num_distinct_actions(), np.int8)
        mask[self.legal_actions(player)] = 1
        return mask.tolist()

    def apply_action(self, action: int) -> None:
        self.position.play(int(action))
        self._actions.append(int(action))

    def undo_action(self, player: int, action: int) -> None:
        if not self._actions or self._actions[-1] != action:
            raise ValueError(f"action {action} was not the last one")
        self.position.undo()
        self._actions.pop()

    def child(self, action: int) -> State:
        state = self.clone()
        state.apply_action(action)
        return state

    def clone(self) -> State:
        state = State(self._game, self.position.copy())
        state._actions = list(self._actions)
        return state

    def history(self) -> list[int]:
        return list(self._actions)

    def returns(self) -> list[float]:
        outcome = self.position.outcome
        result = 0.0 if outcome is None else float(outcome.result)
        return [result, -result]

    def rewards(self) -> list[float]:
        return self.returns()

    def player_return(self, player: int) -> float:
        return self.returns()[player]

    def action_to_string(self, player: int, action: int | None = None) -> str:
        return self.position.move_text(int(player if action is None else action))

    def string_to_action(self, text: str) -> int:
        return self.position.action(text)

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """The planes of the position, relative to the side to move where the game's encoding is."""
        return self.position.planes().ravel().tolist()

    def observation_string(self, player: int | None = None) -> str:
        return str(self.position)

    def serialize(self) -> str:
        return "\n".join(map(str, self._actions)) + "\n"

    def __str__(self) -> str:
        return str(self.position)

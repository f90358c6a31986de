"""Games as PettingZoo environments (AEC): `env("othello")`.

>>> from tablero.envs import pettingzoo
>>> game = pettingzoo.env("connectfour")
>>> game.reset(seed=1)
>>> observation, reward, termination, truncation, info = game.last()
>>> observation["observation"].shape, int(observation["action_mask"].sum())
((3, 6, 7), 7)
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from .. import Position, game_info


def env(game: str, *, rules: str | None = None, render_mode: str | None = None) -> AECEnv:
    """The environment of a game: an illegal move ends it, with a reward of -1 for who made it."""
    wrapped: Any = raw_env(game, rules=rules, render_mode=render_mode)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrapped)


class raw_env(AECEnv):
    """A game without wrappers: illegal moves raise ValueError.

    An observation is a dict of `observation`, the planes of the position (see Position.planes), and `action_mask`.
    At the end the winner's reward is 1, the loser's -1. `rules` chooses a variant, render_mode is "ansi" or "svg".
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "svg"], "name": "tablero_v0", "is_parallelizable": False}

    def __init__(self, game: str, *, rules: str | None = None, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode must be ansi or svg, not {render_mode!r}")
        self.game_info = game_info(game)
        self.rules = rules
        self.render_mode = render_mode
        self.metadata = {**raw_env.metadata, "name": f"{game}_v0"}
        self.possible_agents = [f"player_{side}" for side in range(2)]
        self.agents = self.possible_agents[:]
        count = self.game_info.actions
        self._observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, self.game_info.planes, np.float32),
                "action_mask": spaces.Box(0, 1, (count,), np.int8),
            }
        )
        self._action_spaces = {agent: spaces.Discrete(count) for agent in self.possible_agents}
        self.position = Position(game, rules=rules)

    def observation_space(self, agent: str) -> gymnasium.Space:
        return self._observation_space

    def action_space(self, agent: str) -> gymnasium.Space:
        return self._action_spaces[agent]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        mask = np.zeros(self.game_info.actions, np.int8)
        if agent == self.agent_selection and not self.position.is_over:
            mask[self.position.legal_actions] = 1
        return {"observation": self.position.planes(), "action_mask": mask}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game; options may name a position: {"position": text}."""
        text = (options or {}).get("position", "start")
        self.position = Position(self.game_info.name, text, rules=self.rules)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.position.side]

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("the game is not over: action must be a number")
        mover = self.agent_selection
        self.position.play(int(action))
        self._cumulative_rewards[mover] = 0.0
        self._clear_rewards()
        outcome = self.position.outcome
        if outcome is not None:
            for agent, sign in zip(self.possible_agents, (1.0, -1.0)):
                self.rewards[agent] = sign * outcome.result
                self.terminations[agent] = True
            self.agent_selection = self.possible_agents[1 - self.possible_agents.index(mover)]
        else:
            # In Othello a side that cannot move passes, which is a move of its own.
            self.agent_selection = self.possible_agents[self.position.side]
        self._accumulate_rewards()

    def render(self) -> str | None:
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: ansi or svg")
            return None
        return self.position.svg() if self.render_mode == "svg" else str(self.position)

    def close(self) -> None:
        """Nothing to close."""

"""Environments."""

import numpy as np
import pytest

from tablero.envs import VectorGames, openspiel


def test_pettingzoo(game):
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test, seed_test

    from tablero.envs import pettingzoo

    api_test(pettingzoo.env(game), num_cycles=300, verbose_progress=False)
    api_test(pettingzoo.raw_env(game), num_cycles=100, verbose_progress=False)
    seed_test(lambda: pettingzoo.env(game), num_cycles=30)


def test_pettingzoo_rewards():
    pytest.importorskip("pettingzoo")
    from tablero.envs import pettingzoo

    env = pettingzoo.env("tictactoe", render_mode="ansi")
    env.reset()
    for move in ("a1", "b1", "a2", "b2", "a3"):
        env.step(env.unwrapped.position.action(move))
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0} and all(env.terminations.values())
    assert "game over" in env.render()
    env.reset()
    env.step(0)
    env.step(0)
    assert env.rewards["player_1"] == -1 and all(env.terminations.values()), "an illegal move loses"
    with pytest.raises(ValueError, match="render_mode"):
        pettingzoo.raw_env("tictactoe", render_mode="human")


def test_openspiel(game):
    spiel = openspiel.load_game(game)
    rng = np.random.default_rng(2)
    state = spiel.new_initial_state()
    while not state.is_terminal() and len(state.history()) < 60:
        actions = state.legal_actions()
        assert np.flatnonzero(state.legal_actions_mask()).tolist() == actions
        action = int(rng.choice(actions))
        text = state.action_to_string(state.current_player(), action)
        assert state.string_to_action(text) == action
        child = state.child(action)
        state.apply_action(action)
        assert str(child) == str(state) and child.history() == state.history()
    assert len(state.observation_tensor()) == spiel.observation_tensor_size()
    assert sum(state.returns()) == 0 and spiel.num_players() == 2
    last = state.history()[-1]
    state.undo_action(1 - state.position.side, last)
    assert last in state.legal_actions()


def test_openspiel_agrees_with_openspiel():
    """Tic-tac-toe and Connect Four have the same actions there."""
    pyspiel = pytest.importorskip("pyspiel")
    rng = np.random.default_rng(3)
    theirs, ours = pyspiel.load_game("tic_tac_toe").new_initial_state(), openspiel.load_game("tictactoe").new_initial_state()
    while not theirs.is_terminal():
        assert theirs.legal_actions() == [action for action in ours.legal_actions()]
        assert theirs.current_player() == ours.current_player()
        action = int(rng.choice(theirs.legal_actions()))
        theirs.apply_action(action)
        ours.apply_action(action)
    assert ours.is_terminal() and theirs.returns() == ours.returns()


def test_vector_games():
    games = VectorGames("connectfour", 32)
    total = np.zeros((32, 2))
    for step in range(42):
        planes, mask = games.observe()
        assert planes.shape == (32, 3, 6, 7) and mask.shape == (32, games.positions.actions)
        rewards, over = games.step(games.positions.sample_actions(seed=step))
        total += rewards
    assert over.all() and (total.sum(1) == 0).all() and abs(total).max() == 1
    games.reset()
    assert not games.positions.is_over().any()

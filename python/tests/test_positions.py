"""Games, positions and batches."""

import copy
import pickle

import chess
import numpy as np
import pytest

import tablero
from tablero import Position, Positions


def random_game(game, seed, plies=200):
    """A position after random moves, by single calls."""
    position = Position(game)
    rng = np.random.default_rng(seed)
    while not position.is_over and position.plies < plies:
        position.play(str(rng.choice(position.legal_moves)))
    return position


def test_moves_and_undo(game):
    start = Position(game)
    end = random_game(game, 3)
    texts = []
    position = end.copy()
    while position.plies:
        texts.append(position.text)
        position.undo()
    assert position == start
    for text in reversed(texts):
        position.redo()
        assert position.text == text
    assert position == end and position.moves == end.moves
    with pytest.raises(IndexError, match="no move to redo"):
        position.redo()
    with pytest.raises(IndexError, match="no move to undo"):
        start.undo()


def test_text_reads_itself(game):
    position = random_game(game, 5, plies=7)
    again = Position(game, position.text)
    assert again == position and again.plies == 0
    assert Position(game, "start moves " + " ".join(position.moves)) == position
    assert eval(repr(position), {"Position": Position}) == position


def test_copies_and_pickles(game):
    position = random_game(game, 9, plies=6)
    for other in (copy.copy(position), copy.deepcopy(position), pickle.loads(pickle.dumps(position))):
        assert other == position and other.moves == position.moves
        other.undo()
        assert other != position


def test_actions_name_moves(game):
    position = random_game(game, 1, plies=5)
    actions = position.legal_actions
    assert len(set(actions.tolist())) == len(position.legal_moves)
    assert actions.max() < tablero.game_info(game).actions
    for move, action in zip(position.legal_moves, actions):
        assert position.action(move) == action
        assert position.move_text(int(action)) == move
        assert position.after(int(action)) == position.after(move) == position.after(action)


def test_policy_indices_follow_from_actions(game):
    position = random_game(game, 2, plies=4)
    expected = tablero.action_outputs(game)[position.legal_actions]
    np.testing.assert_array_equal(position.policy_indices(), expected)


def test_symmetries(game):
    position = random_game(game, 4, plies=6)
    copies = position.symmetric_copies()
    assert len(copies) == position.symmetries and copies[0] == position
    for symmetry, image in enumerate(copies):
        for move in position.legal_moves[:5]:
            moved = image.after(position.transform_move(move, symmetry))
            assert moved == position.after(move).transform(symmetry)
    with pytest.raises(ValueError, match="symmetries 0 to"):
        position.transform(position.symmetries)


def test_drawings(game):
    position = random_game(game, 6, plies=6)
    assert position._repr_svg_().startswith("<svg") and position.svg().endswith("</svg>")
    assert "to move" in str(position)
    assert len(position.cells) >= 9


def test_planes(game):
    position = random_game(game, 7, plies=6)
    planes = position.planes()
    assert planes.dtype == np.float32 and planes.shape == tablero.game_info(game).planes
    assert planes.min() >= 0 and planes.max() <= 1
    batch = Positions.of([position, Position(game)])
    np.testing.assert_array_equal(batch.planes()[0], planes)


def test_otelo_inputs():
    position = Position("othello").play("f5")
    assert position.planes("absolute").sum() == 7 and position.planes("flat").shape == (65,)
    assert Position("chess").planes("attacks").shape == (30, 8, 8)


def test_outcomes():
    position = Position("tictactoe", "start moves a1 b1 a2 b2 a3")
    assert position.is_over and position.outcome.winner == 0 and position.outcome.result == 1
    assert position.legal_moves == [] and position.legal_actions.size == 0
    assert Position("chess").outcome is None
    repeated = Position("chess", "start moves " + "Nf3 Nf6 Ng1 Ng8 " * 2)
    assert repeated.can_claim_draw and not repeated.is_over
    fivefold = Position("chess", "start moves " + "Nf3 Nf6 Ng1 Ng8 " * 4)
    assert fivefold.outcome.ending == "repetition" and fivefold.outcome.winner is None


def test_chess_agrees_with_python_chess():
    rng = np.random.default_rng(8)
    board, position = chess.Board(), Position("chess")
    while not position.is_over and position.plies < 150:
        assert sorted(position.legal_moves) == sorted(map(board.san, board.legal_moves))
        move = str(rng.choice(position.legal_moves))
        board.push_san(move)
        position.play(move)
    assert Position("chess", board.fen()).legal_moves == position.legal_moves or position.is_over


# Batches.


def test_batches_play_like_single_positions(game):
    batch, singles = Positions(game, 20), [Position(game) for _ in range(20)]
    for ply in range(300):
        actions = batch.sample_actions(seed=ply)
        mask = batch.legal_mask()
        flat, offsets = batch.legal_actions()
        for index, single in enumerate(singles):
            legal = single.legal_actions
            np.testing.assert_array_equal(flat[offsets[index] : offsets[index + 1]], legal)
            np.testing.assert_array_equal(np.flatnonzero(mask[index]), np.sort(legal))
            assert (actions[index] == -1) == single.is_over
            if not single.is_over:
                single.play(int(actions[index]))
        batch.play(actions)
        if batch.is_over().all():
            break
    np.testing.assert_array_equal(batch.is_over(), [single.is_over for single in singles])
    outcomes = [single.outcome for single in singles]
    np.testing.assert_array_equal(batch.margins(), [outcome.margin if outcome else 0 for outcome in outcomes])
    np.testing.assert_array_equal(batch.plies, [single.plies for single in singles])
    np.testing.assert_array_equal(batch.keys, np.array([single.key for single in singles], np.uint64))
    np.testing.assert_array_equal(batch.planes(), [single.planes() for single in singles])


def test_threads_do_not_matter(game):
    batches = [Positions(game, 1000) for _ in range(2)]
    for batch, threads in zip(batches, (1, 3)):
        assert batch.play_random(12, seed=5, threads=threads) > 0
    one, three = batches
    np.testing.assert_array_equal(one.keys, three.keys)
    np.testing.assert_array_equal(one.sample_actions(9, threads=1), three.sample_actions(9, threads=3))
    for a, b in zip(one.playouts(2, 7, threads=1), three.playouts(2, 7, threads=3)):
        np.testing.assert_array_equal(a, b)
        assert a.shape == (1000, 2)


def test_playouts_end_games():
    batch = Positions("othello", 50)
    margins, plies = batch.playouts(4, seed=1)
    assert plies.min() > 8 and plies.max() < 130 and abs(margins).max() <= 64
    assert batch.plies.max() == 0
    margins, plies = batch.playouts(1, max_plies=3)
    assert (margins == 0).all() and (plies == 3).all()


def test_selection():
    batch = Positions("othello", 6)
    batch.play_random(5, seed=2)
    assert batch[2].key == batch.keys[2] and batch[-1].key == batch.keys[-1]
    np.testing.assert_array_equal(batch[1:5:2].keys, batch.keys[1:5:2])
    np.testing.assert_array_equal(batch[::-1].keys, batch.keys[::-1])
    np.testing.assert_array_equal(batch[[3, 0, 3]].keys, batch.keys[[3, 0, 3]])
    mask = batch.sides == batch.sides[0]
    np.testing.assert_array_equal(batch[mask].keys, batch.keys[mask])
    assert len(batch[[]]) == 0 and len(list(batch)) == 6
    batch.extend(batch[:2])
    batch.extend(batch)
    assert len(batch) == 16 and batch.texts()[0] == batch[8].text
    assert batch.copy().to_list()[3] == batch[3]


def test_transformed_batches(game):
    batch = Positions(game, 10)
    batch.play_random(6, seed=3)
    last = tablero.game_info(game).symmetries - 1
    images = batch.transform(last)
    assert [position.key for position in images] == [position.transform(last).key for position in batch]


def test_arrays_are_filled_in_place(game):
    batch = Positions(game, 40)
    batch.play_random(6, seed=2)
    planes, mask = batch.planes(), batch.legal_mask()
    own = (np.full_like(planes, 7), np.ones_like(mask))
    assert batch.planes(out=own[0]) is own[0] and batch.legal_mask(out=own[1], threads=2) is own[1]
    np.testing.assert_array_equal(own[0], planes)
    np.testing.assert_array_equal(own[1], mask)
    actions, offsets = batch.legal_actions()
    rows = np.repeat(np.arange(40), np.diff(offsets))
    sparse = np.zeros_like(mask)
    sparse[rows, actions] = True
    np.testing.assert_array_equal(sparse, mask)


@pytest.mark.parametrize("view", ["mover", "attacks"])
def test_outputs_of_the_movers_view_depend_on_the_side(view):
    position = Position("chess")
    for _ in range(30):
        expected = tablero.action_outputs("chess", view, position.side)[position.legal_actions]
        np.testing.assert_array_equal(position.policy_indices(view), expected)
        position.play(position.legal_moves[position.plies * 7 % len(position.legal_moves)])

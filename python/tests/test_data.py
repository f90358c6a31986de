"""Self-play games, records, archives as arrays and tables."""

import numpy as np
import pytest

import tablero
from tablero import Archive, Games, Position


def test_selfplay(game, tmp_path):
    path = tmp_path / "games.jsonl"
    games = tablero.selfplay(game, "mcts iterations=20", 4, path=path, max_plies=60)
    assert len(games) == 4 and games.game == game and games.positions == sum(map(len, games.records()))
    again = Games.read(path)
    assert len(again) == 4 and again.records() == games.records()
    more = tablero.selfplay(game, "mcts iterations=20", 6, path=path, max_plies=60, threads=1)
    assert len(more) == 6 and more.records()[:4] == games.records(), "finished games are kept"
    with pytest.raises(ValueError, match="other games"):
        tablero.selfplay(game, "random", 6, path=path)
    assert games.csv().startswith("game,ply,position")


def test_arrays(game):
    games = tablero.selfplay(game, "mcts iterations=30", 3, max_plies=50)
    arrays = games.arrays()
    rows = games.positions
    assert arrays["input"].shape == (rows, *tablero.game_info(game).planes)
    row = 0
    for number, record in enumerate(games.records()):
        position = record.start
        for ply, move in enumerate(record.moves):
            assert (arrays["game"][row], arrays["ply"][row], arrays["side"][row]) == (number, ply, position.side)
            assert arrays["action"][row] == position.action(move)
            sign = 1 if position.side == 0 else -1
            assert arrays["result"][row] == sign * record.outcome.result
            np.testing.assert_array_equal(arrays["input"][row], position.planes())
            start, end = arrays["policy_offsets"][row : row + 2]
            assert set(arrays["policy_actions"][start:end]) <= set(position.legal_actions.tolist())
            if end > start:
                assert abs(arrays["policy_probs"][start:end].sum() - 1) < 0.01
            position.play(move)
            row += 1
    assert row == rows and abs(arrays["value"]).max() <= 1
    # Records have results and moves, but no searches.
    of_records = tablero.arrays(games.records())
    for name in ("input", "action", "result", "margin", "side", "game", "ply"):
        np.testing.assert_array_equal(of_records[name], arrays[name])
    assert np.isnan(of_records["value"]).all() and of_records["policy_actions"].size == 0


def test_files_of_games(tmp_path):
    games = tablero.match("othello", "random", "greedy", games=4).records
    for name in ("games.pgn", "games.ggf"):
        tablero.write_games(tmp_path / name, games)
        found = tablero.read_games(tmp_path / name)
        assert [record.moves for record in found] == [record.moves for record in games]
        assert found[0].players == games[0].players
    with pytest.raises(ValueError, match="known are"):
        tablero.write_games(tmp_path / "games.xyz", games)
    (tmp_path / "half.pgn").write_text('[Game "tictactoe"]\n\n1. b2 a1 *\n\n[Game "tictactoe"]\n\n1. b2 b2 *\n')
    with pytest.warns(UserWarning, match="skipped game 2"):
        assert len(tablero.read_games(tmp_path / "half.pgn")) == 1
    position = games[0].position
    assert position.moves == games[0].moves and len(games[0].positions()) == len(games[0]) + 1


def test_archives(tmp_path):
    games = tablero.match("othello", "random", "greedy", games=10, openings="start").records
    tablero.write_games(tmp_path / "games.pgn", games)
    archive = Archive(tmp_path / "data")
    report = archive.import_files(tmp_path / "games.pgn")
    assert report["games"] == 10 and archive.import_files([tmp_path / "games.pgn"])["duplicates"] == 10
    assert archive.stats()["games"] == 10 and archive.count(player="greedy") == 10
    wins = archive.count(player="greedy", side=0, result="first") + archive.count(player="greedy", side=1, result="second")
    assert wins == sum(record.outcome.winner == record.players.index("greedy") for record in games)
    explored = archive.explore(Position("othello"), games=3)
    assert explored["games"] == 10 and explored["moves"][0]["games"] == 10 and len(explored["latest"]) == 3
    records = archive.records(game="othello", limit=100)
    assert sorted(record.moves for record in records) == sorted(record.moves for record in games)
    assert len(tablero.arrays(records)["action"]) == sum(map(len, games))
    assert archive.add(tablero.match("chess", "random", "random", games=2).records) == 2
    assert archive.stats()["games"] == 12


def test_arrow_tables(tmp_path):
    pytest.importorskip("pyarrow")
    games = tablero.selfplay("othello", "mcts iterations=20", 3)
    table = tablero.table(games)
    assert table.num_rows == games.positions and table["move"][0].as_py() in Position("othello").legal_moves
    assert Position("othello", table["position"][5].as_py()).side == table["side"][5].as_py()
    archive = Archive(tmp_path)
    archive.add(games.records())
    assert archive.table(limit=2).column_names[:4] == ["id", "game", "first", "second"]

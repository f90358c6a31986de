"""How machines think: explanations, search trees, comparisons."""

import json
import signal
import threading
import time

import numpy as np
import pytest

import tablero
from tablero import Network, Player, Position

MIDDLE = {
    "othello": "start moves f5 d6 c3 d3 c4",
    "chess": "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3",
    "connectfour": "start moves 4 4 3",
    "tictactoe": "start moves a1 b2",
    "shobu": "start",
}


def middle(game):
    return Position(game, MIDDLE[game])


def test_every_evaluation_explains_itself(game):
    position = middle(game)
    names = [known["name"] for known in tablero.evaluations(game)]
    assert names
    for name in names:
        found = tablero.explain(position, name)
        assert found.terms and found.side == position.side_name
        assert sum(found.contributions.values()) == pytest.approx(found.value, abs=1e-6)
        assert f"{found.value:+.2f}" in str(found) and "<table>" in found._repr_html_()
        for term in found.terms[:3]:
            assert term.contribution == pytest.approx(term.value * term.weight)
            board = found.board(term.name)
            assert board.shape == (len(found.rows), len(found.columns))
            assert np.count_nonzero(board) == sum(value != 0 for value in term.squares.values())


def test_terms_by_name_and_by_player():
    position = middle("othello")
    found = tablero.explain(position, "jma")
    assert [term.name for term in found.terms][:2] == ["x1", "x2"]
    assert found["x1"] == found.terms[0] and found.player == "greedy eval=jma"
    with pytest.raises(KeyError, match="no term 'x99'; there are x1"):
        found["x99"]
    by_line = tablero.explain(position, "alphabeta depth=3 eval=jma")
    by_player = tablero.explain(position, Player("othello", "greedy eval=jma"))
    by_option = tablero.explain(position, eval="jma")
    assert found.terms == by_line.terms == by_player.terms == by_option.terms
    assert tablero.explain(position).player == tablero.evaluations("othello")[0]["player"]


def test_networks_are_explained_by_removing_pieces(tmp_path):
    position = middle("othello")
    network = Network.random("othello", "resnet 1x8 ownership", seed=3)
    network.save(tmp_path / "net.safetensors")
    found = tablero.explain(position, network)
    view = found.network
    assert found.unit == "result" and -1 <= found.value <= 1
    batch = tablero.Positions.of([position])
    value, policy = network.evaluate(batch)
    assert found.value == pytest.approx(float(value[0]), abs=1e-5)
    assert set(view.policy) == set(position.legal_moves)
    for move, rating in view.policy.items():
        assert rating == pytest.approx(float(policy[0, position.action(move)]), abs=1e-5)
    assert np.count_nonzero(~np.isnan(view.saliency)) == 9, "one for every disc"
    assert view.ownership.shape == (8, 8) and np.abs(view.ownership).max() <= 1
    planes = position.planes()
    assert len(view.planes) == len(planes)
    for (about, shown), plane in zip(view.planes.items(), planes):
        np.testing.assert_allclose(shown, plane, err_msg=about)
    by_player = tablero.explain(position, network.player())
    by_file = tablero.explain(position, net=tmp_path / "net.safetensors")
    assert by_player.terms == by_file.terms == found.terms


WRONG_EXPLANATIONS = [
    (lambda: tablero.explain(Position("othello"), "nothing"), ValueError, "nothing"),
    (lambda: tablero.explain(Position("othello"), eval="nothing"), ValueError, "nothing"),
    (lambda: tablero.explain(Position("othello"), net="nothing"), ValueError, "nothing"),
    (lambda: tablero.explain(Position("othello"), "random"), ValueError, "no evaluation to explain"),
    (lambda: tablero.explain(Position("othello"), "jma", eval="jma"), TypeError, "not several"),
    (lambda: tablero.explain(Position("othello"), 3), TypeError, "not int"),
    (lambda: tablero.explain(Position("othello"), Network.random("chess", "resnet 1x4")), ValueError, "not of othello"),
    (lambda: tablero.explain(Position("othello"), Player("chess", "greedy")), ValueError, "cannot evaluate othello"),
    (lambda: tablero.explain(Position("othello"), Player("othello", "greedy", evaluation=len)), ValueError, "function"),
    (lambda: tablero.explain(Position("tictactoe", "start moves a1 b1 a2 b2 a3")), ValueError, "the game is over"),
]


@pytest.mark.parametrize(("wrong", "error", "message"), WRONG_EXPLANATIONS)
def test_wrong_explanations_say_what_is_right(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()


@pytest.mark.parametrize("line", ["minimax depth=2", "alphabeta depth=3", "mcts iterations=200"])
def test_trees(game, line, tmp_path):
    position = middle(game)
    tree = tablero.tree(position, line)
    assert tree.move == Player(game, line).best(position), "watching does not change the search"
    assert tree.search == line.split()[0] and tree.reason in repr(tree)
    assert tree.is_complete and len(tree) == tree.tree_nodes
    arrays = tree.arrays
    assert arrays["parent"][0] == -1 and (arrays["parent"][1:] < np.arange(1, len(tree))).all()
    assert all(len(column) == len(tree) for column in arrays.values()) and len(tree.moves) == len(tree)
    root = tree.root
    assert root.parent is None and root.side == position.side
    children = root.children
    assert children and all(child.parent == 0 for child in children)
    assert sum(len(tree.children(id)) for id in range(len(tree))) == len(tree) - 1
    for node in list(tree)[:50]:
        assert node.value is None or arrays["value"][node.id] == pytest.approx(node.value)
        if "--" not in tree.line(node.id):
            assert tree.position(node.id).plies == position.plies + len(tree.line(node.id))
    if tree.search == "mcts":
        assert {"visits", "exploitation", "exploration"} <= arrays.keys() and tree.bound == "ucb1"
        assert arrays["visits"][0] == 200
        leaves, values = tree.growth
        assert len(leaves) == len(values) == 200
    else:
        assert tree.growth is None and tree.bound is None
    assert json.loads(tree.json())["nodes"][0]["id"] == 0
    assert tree.dot().startswith("digraph") and tree._repr_svg_().startswith("<svg")
    tree.save(tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8") == tree.svg()


def test_trees_of_alphabeta_and_networks_say_why():
    tree = tablero.tree(middle("chess"), "alphabeta depth=4")
    assert tree.cuts["beta"] == sum(tree.cutoff_ranks)
    assert tree.full_width["nodes"] > tree.tree_nodes and tree.iterations[-1]["depth"] == 4
    assert any(node.window and node.search == "scout" for node in tree)
    net = Network.random("connectfour", "resnet 1x8")
    tree = tablero.tree(Position("connectfour"), net.player("puct sims=60"))
    assert tree.search == "puct" and {"prior", "network_value"} <= tree.arrays.keys()
    assert tree.arrays["prior"][tree.children(0)].sum() == pytest.approx(1, abs=1e-4)


def test_large_trees_are_summarised():
    tree = tablero.tree(middle("othello"), "alphabeta depth=6", max_nodes=500)
    assert not tree.is_complete and 100 < len(tree) <= 500 < tree.tree_nodes
    function = Player("othello", "alphabeta depth=2", evaluation=lambda positions: positions.sides)
    assert len(tablero.tree(Position("othello"), function)) > 4


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: tablero.tree(Position("othello"), "random"), ValueError, "use minimax, alphabeta, mcts or puct"),
        (lambda: tablero.tree(Position("othello"), max_nodes=3), ValueError, "max_nodes must be 100 to 5000000"),
        (lambda: tablero.tree(Position("othello"), Player("chess", "alphabeta")), ValueError, "cannot play othello"),
        (lambda: tablero.tree(Position("othello")).save("/tmp/tree.txt"), ValueError, "must be .json, .dot or .svg"),
        (lambda: tablero.tree(Position("othello"))[10**9], IndexError, "no node"),
        (lambda: tablero.tree(Position("othello")).children(-1), IndexError, "no node"),
    ],
)
def test_wrong_trees_say_what_is_right(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()


def test_comparisons_along_a_game():
    position = Position("tictactoe", "start moves a1 b2 c3 a3 c1")
    found = tablero.compare(position, "alphabeta depth=9", "random", judge="minimax depth=9", along=True)
    assert (found.players, found.judge) == (("alphabeta depth=9", "random"), "minimax depth=9")
    assert found.compared == len(found.positions) == 6 and found.right[1] == 0 and found.mean_loss[0] == 0
    assert len(found.disagreements) == found.compared - found.agreements
    for compared in found.positions:
        assert (compared.judged is None) == compared.agree
        assert compared.played == (position.moves[compared.ply] if compared.ply < 5 else None)
    assert f"of {found.compared} positions" in str(found)
    assert tablero.compare(position.record(), "alphabeta depth=9", "random", judge=False).judge is None


def test_comparisons_of_one_position():
    position = middle("othello")
    found = tablero.compare(position, "alphabeta depth=2", "alphabeta depth=2", judge=Player("othello", "greedy"))
    assert found.compared == found.agreements == 1 and found.positions[0].ply == 5
    own = Player("othello", "greedy", evaluation=lambda positions: positions.sides, name="own")
    assert tablero.compare(position, own, "greedy", judge=False).players == ("own", "greedy")


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: tablero.compare(Position("othello"), "random", "wizard"), ValueError, "alphabeta"),
        (lambda: tablero.compare(Position("othello"), "random", 3), TypeError, "a player is a line"),
        (lambda: tablero.compare(Position("othello"), "random", Player("chess", "random")), ValueError, "cannot play"),
        (lambda: tablero.compare(Position("othello"), "random", "random", time=0), ValueError, "seconds"),
        (
            lambda: tablero.compare(Position("tictactoe", "start moves a1 b1 a2 b2 a3"), "random", "random"),
            ValueError,
            "the game is over",
        ),
    ],
)
def test_wrong_comparisons_say_what_is_right(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()


@pytest.mark.parametrize(
    "work",
    [
        lambda: tablero.tree(middle("chess"), "mcts iterations=100000000"),
        lambda: tablero.tree(middle("chess"), "alphabeta depth=60"),
        lambda: tablero.compare(middle("chess"), "alphabeta depth=60", "random", judge=False),
        lambda: tablero.compare(middle("chess"), "random", "greedy", judge="mcts iterations=100000000"),
    ],
)
def test_interrupts_end_calls(work):
    timer = threading.Timer(0.4, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        work()
    assert time.monotonic() - start < 10
    timer.join()

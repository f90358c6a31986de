"""The border between Python and Rust: wrong input raises exceptions that say what is right; nothing panics."""

import ast
import doctest
import importlib
import inspect
import pathlib
import random

import numpy as np
import pytest

import tablero
import tablero.envs.openspiel
import tablero.envs.vector
from tablero import Archive, Games, Network, Player, Position, Positions, _tablero

FOLDER = pathlib.Path(tablero.__file__).parent

WRONG = [
    (lambda: Position("ludo"), ValueError, "no game `ludo`; there are othello"),
    (lambda: Position("othello", rules="odd"), ValueError, "othello has no rules `odd`"),
    (lambda: Position("chess", "no position"), ValueError, "position: line 1"),
    (lambda: Position("chess", "start moves e4 e4"), ValueError, "move 2 after `moves`"),
    (lambda: Position("othello").play("a1"), ValueError, "legal are"),
    (lambda: Position("othello").play(99), ValueError, "action 99 is not legal; legal are"),
    (lambda: Position("othello").play(-1), ValueError, "action -1 is not legal"),
    (lambda: Position("othello").play(1 << 80), TypeError, "a move is a str or an int"),
    (lambda: Position("othello").play(1.5), TypeError, "a move is a str or an int, not float"),
    (lambda: Position("othello").planes("sideways"), ValueError, "expected planes, mover, attacks, flat or absolute"),
    (lambda: Position("othello").planes("mover"), ValueError, "leave out `mover`"),
    (lambda: Position("chess").planes("flat"), ValueError, "chess has no flat input"),
    (lambda: Positions("othello", -1), OverflowError, None),
    (lambda: Positions("othello", 10**12), ValueError, "at most"),
    (lambda: Positions.of([]), ValueError, "at least one position"),
    (lambda: Positions.of([Position("chess"), Position("othello")]), ValueError, "of the same game"),
    (lambda: Positions.of(["start"]), TypeError, "expected a list of Position, not str"),
    (lambda: Positions("othello", 3).play([19, 26]), ValueError, "2 actions for 3 positions"),
    (lambda: Positions("othello", 2).play([19, 0]), ValueError, "action 0 is not legal in position 1"),
    (lambda: Positions("othello", 2).play([19.0, 19.0]), TypeError, "expected integers of one dimension"),
    (lambda: Positions("othello", 2).play([[19], [19]]), TypeError, r"shape \[2, 1\]"),
    (lambda: Positions("othello", 2).play(["d3", "d3"]), TypeError, "expected integers"),
    (lambda: Positions("othello", 2)[5], IndexError, "index 5 is out of range for 2 positions"),
    (lambda: Positions("othello", 2)[[0, -3]], IndexError, "out of range"),
    (lambda: Positions("othello", 2)[np.array([True])], IndexError, "1 elements for 2 positions"),
    (lambda: Positions("othello", 2).extend(Positions("chess", 1)), ValueError, "same game"),
    (lambda: Positions("othello", 2).transform(8), ValueError, "symmetries 0 to 7"),
    (lambda: Positions("othello", 2).planes(threads=0), ValueError, "threads must be 1 to"),
    (lambda: Positions("othello", 2).planes(out=np.zeros((2, 3, 8, 8), np.float32)), TypeError, r"shape \[2, 4, 8, 8\]"),
    (lambda: Positions("othello", 2).planes(out=np.zeros((2, 4, 8, 8))), TypeError, "float32 array .* found float64"),
    (lambda: Positions("othello", 2).planes(out=[0.0]), TypeError, "found list"),
    (lambda: Positions("othello", 2).legal_mask(out=np.zeros((65, 2), bool).T), TypeError, "in C order"),
    (lambda: tablero.action_outputs("othello", "mover"), ValueError, "leave out `mover`"),
    (lambda: tablero.action_outputs("chess", "mover", 2), ValueError, "side must be 0 or 1"),
    (lambda: Positions("othello", 10**6).playouts(10**6), ValueError, "too many"),
    (lambda: Player("othello", "alphabeta dept=3"), ValueError, "depth"),
    (lambda: Player("othello", "wizard"), ValueError, "alphabeta"),
    (lambda: Player("othello", "alphabeta", evaluation=3), TypeError, "evaluation must be a function, not int"),
    (lambda: Player("othello", "random", evaluation=len), ValueError, None),
    (lambda: Player("othello", "alphabeta", network=len), ValueError, "expected a line of `puct` or `mcts`"),
    (lambda: Player("othello", "puct net=x", network=len), ValueError, "without `net`"),
    (lambda: Player("othello", "puct", evaluation=len, network=len), TypeError, "not both"),
    (lambda: Player("chess", "puct", network=Network.random("othello", "resnet 1x4")), ValueError, "not of chess"),
    (lambda: Player("othello", "random", threads=10**6), ValueError, "threads must be 1 to"),
    (lambda: Player("othello", "random", hash_mb=10**9), ValueError, "hash"),
    (lambda: Player("othello", "random", multipv=0), ValueError, "multipv must be 1 to 500"),
    (lambda: Player("chess", "random").best(Position("othello")), ValueError, "cannot play othello"),
    (lambda: Player("chess", "random").best(Position("chess"), time=-1), ValueError, "seconds"),
    (lambda: Player("chess", "random").best(Position("chess"), depth=0), ValueError, "at least 1"),
    (lambda: tablero.best(Position("tictactoe", "start moves a1 b1 a2 b2 a3")), ValueError, "the game is over"),
    (lambda: tablero.best(Position("chess"), "uci /no/such/engine"), ValueError, "cannot be started"),
    (lambda: tablero.match("othello", "random", 3), TypeError, "a player is a line"),
    (lambda: tablero.match("othello", "random", "random", games=0), ValueError, "at least 1 game"),
    (lambda: tablero.match("othello", "random", "random", openings="often"), ValueError, None),
    (lambda: tablero.match("othello", "random", "random", openings=[]), ValueError, "records of othello"),
    (lambda: tablero.match("othello", "random", "random", clock="soon"), ValueError, None),
    (lambda: tablero.match("othello", "random", "random", sprt=(5, 0)), (ValueError, RuntimeError), None),
    (lambda: tablero.tournament("othello", ["random"]), ValueError, "at least 2 players"),
    (lambda: tablero.perft(Position("chess"), 99), ValueError, "depth must be 0 to 30"),
    (lambda: tablero.solve(Position("othello"), hash_mb=10**9), ValueError, "hash_mb must be"),
    (lambda: tablero.selfplay("othello", "random", 0), ValueError, "games must be 1 to"),
    (lambda: tablero.selfplay("othello", Player("chess", "random"), 1), ValueError, "cannot play othello"),
    (lambda: tablero.selfplay("othello", "random", 1, random_move_prob=2.0), ValueError, None),
    (lambda: tablero.read_games("/no/such/file.pgn"), OSError, "/no/such/file.pgn"),
    (lambda: Games.read("/no/such/file.jsonl"), OSError, "no such file"),
    (lambda: tablero.write_games("/tmp/x.pgn", []), ValueError, "no game"),
    (lambda: tablero.arrays([3]), TypeError, "expected a list of Record"),
    (lambda: Network.load("/no/such/net.safetensors"), OSError, "/no/such/net"),
    (lambda: Network.shipped("nothing"), ValueError, "there are"),
    (lambda: Network.random("othello", "gru 3"), ValueError, "resnet 6x64"),
    (lambda: Network.random("othello", "mlp 64-1"), ValueError, "65 or 256 inputs"),
    (lambda: Network.random("othello", "resnet 1x4").save("/tmp/net.txt"), ValueError, "safetensors, keras, h5, onnx"),
    (lambda: Network.random("othello", "resnet 1x4").save("/no/such/net.onnx"), OSError, None),
    (lambda: Network.random("othello", "resnet 1x4").forward(np.zeros((1, 65))), ValueError, r"\(positions, 4, 8, 8\)"),
    (lambda: Network.random("othello", "mlp 65-1").forward(np.full((1, 65), np.inf)), ValueError, "not finite"),
    (lambda: Network.random("othello", "resnet 1x4").evaluate(Positions("chess")), ValueError, "cannot evaluate chess"),
    (lambda: Network.from_tensors("othello", "mlp 65-1", {}), ValueError, "`layer.0.weight` is missing"),
    (
        lambda: Network.from_tensors("othello", "mlp 65-1", {"layer.0.weight": np.zeros((1, 64)), "layer.0.bias": [0.0]}),
        ValueError,
        r"has shape \[1, 64\], not \[1, 65\]",
    ),
    (lambda: Archive("/proc/nowhere").stats(), OSError, None),
]


@pytest.mark.parametrize(("wrong", "error", "message"), WRONG)
def test_wrong_input_says_what_is_right(wrong, error, message):
    with pytest.raises(error, match=message) as raised:
        wrong()
    assert "PanicException" not in repr(raised.value)


def test_illegal_actions_change_nothing():
    batch = Positions("othello", 2)
    before = batch.keys
    with pytest.raises(ValueError):
        batch.play([19, 0])
    np.testing.assert_array_equal(batch.keys, before)
    over = Positions("tictactoe", 1, text="start moves a1 b1 a2 b2 a3")
    over.play([-1])
    with pytest.raises(ValueError, match="is over: its action must be -1"):
        over.play([8])


TEXTS = ["", "start", "\x00", "é" * 50, "start moves", "moves moves", "8/8/8/8/8/8/8/8 w - - 0 1", "-" * 64 + " X", "1e9"]
VALUES = [None, -1, 0, 1, 7, 2**31, 2**63, 2**64, -(2**63), 1.5, float("nan"), True, b"x", [], [1], {}, "x", np.zeros(0)]
VALUES += [np.zeros((2, 2)), np.array(["a"]), np.array([1, 2], np.uint8), object(), *TEXTS]


def members():
    """Methods of an object of every class, and all functions; but not those that read and write files at large."""
    position = Position("connectfour").play("4")
    objects = [
        position,
        Positions("othello", 3),
        Player("tictactoe", "random"),
        position.record(),
        Network.random("tictactoe", "resnet 1x4"),
        tablero.selfplay("tictactoe", "random", 2),
    ]
    for thing in objects:
        for name in dir(thing):
            method = getattr(thing, name)
            if callable(method) and not name.startswith("__") and name not in ("save", "csv"):
                yield thing, name
    for name in ("game_info", "players", "weights", "perft", "tensor_shapes", "record_arrays", "action_outputs"):
        yield _tablero, name
    for name in ("Position", "Positions", "Player"):
        yield _tablero, name
    yield Network, "random"
    yield Network, "from_tensors"
    yield Positions, "of"


def test_random_arguments_never_panic():
    rng = random.Random(1)
    for thing, name in members():
        function = getattr(thing, name)
        for _ in range(60):
            arguments = [rng.choice(VALUES) for _ in range(rng.randrange(4))]
            if name in ("Position", "Positions", "Player", "random", "tensor_shapes"):
                arguments = [rng.choice(["othello", "chess", *TEXTS]), *arguments]
            # Not wrong, but much work.
            if name in ("Positions", "play_random", "playouts", "perft"):
                arguments = [value for value in arguments if not isinstance(value, int) or value < 100]
            try:
                function(*arguments)
            except BaseException as error:
                assert type(error).__name__ != "PanicException", f"{name}{arguments}: {error}"
                assert isinstance(error, (ValueError, TypeError, IndexError, OverflowError, OSError, RuntimeError)), repr(error)


def test_files_of_random_bytes_are_refused(tmp_path):
    rng = random.Random(2)
    net = Network.random("tictactoe", "mlp 27-2-1")
    for extension in ("safetensors", "onnx", "keras", "h5"):
        path = tmp_path / f"net.{extension}"
        net.save(path)
        content = path.read_bytes()
        for _ in range(40):
            changed = bytearray(content)
            for _ in range(rng.randrange(1, 4)):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
            path.write_bytes(bytes(changed[: rng.randrange(len(changed))] if rng.random() < 0.3 else changed))
            try:
                Network.load(path, game="tictactoe")
            except (ValueError, OSError):
                pass


def stub_signatures():
    tree = ast.parse((FOLDER / "_tablero.pyi").read_text())
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield None, node
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    yield node.name, method


def test_stubs_describe_the_module():
    described = {}
    for owner, node in stub_signatures():
        described.setdefault(owner, set()).add(node.name)
        thing = getattr(_tablero, owner) if owner else _tablero
        decorators = {decorator.id for decorator in node.decorator_list if isinstance(decorator, ast.Name)}
        if node.name.startswith("__") or decorators & {"property", "overload"}:
            assert node.name == "__iter__" or hasattr(thing, node.name), (owner, node.name)
            continue
        signature = inspect.signature(getattr(thing, node.name))
        found = [name for name in signature.parameters if name != "self"]
        arguments = node.args.args + node.args.kwonlyargs + ([node.args.kwarg] if node.args.kwarg else [])
        expected = [argument.arg for argument in arguments if argument.arg not in ("self", "cls")]
        assert found == expected, f"{owner}.{node.name}: {found} in the module, {expected} in the stub"
    for name in vars(_tablero):
        if name.startswith("_"):
            continue
        value = getattr(_tablero, name)
        if inspect.isclass(value):
            public = {member for member in vars(value) if not member.startswith("__")}
            assert public <= described[name], f"not in the stub: {public - described[name]}"
        else:
            assert name in described[None], f"not in the stub: {name}"


def test_everything_public_is_documented():
    for name in tablero.__all__:
        value = getattr(tablero, name)
        assert name == "__version__" or inspect.getdoc(value), name
        if inspect.isclass(value):
            for member, inner in vars(value).items():
                if not member.startswith("_") and (callable(inner) or inspect.isdatadescriptor(inner)):
                    assert inspect.getdoc(inner), f"{name}.{member}"


def test_docstrings():
    modules = [tablero, tablero.envs.openspiel, tablero.envs.vector]
    try:
        modules.append(importlib.import_module("tablero.envs.pettingzoo"))
    except ImportError:
        pass
    for module in modules:
        results = doctest.testmod(module)
        assert results.attempted > 0 and results.failed == 0, module

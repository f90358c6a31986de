"""Networks: evaluation, files, exchange with ONNX Runtime and PyTorch."""

import numpy as np
import pytest

import tablero
from tablero import Network, Player, Position, Positions

KINDS = {
    "othello": ["mlp 65-16-8-1", "mlp 65-8-1 absolute", "mlp 256-8-1", "resnet 2x8", "resnet 1x8 ownership"],
    "chess": ["resnet 1x8", "resnet 1x8 mover", "resnet 1x8 attacks"],
    "shobu": ["resnet 1x8"],
    "connectfour": ["resnet 1x8"],
    "tictactoe": ["resnet 1x8", "mlp 27-8-1"],
}
ALL = [(game, kind) for game, kinds in KINDS.items() for kind in kinds]


def view(kind):
    words = kind.split()
    if words[0] == "resnet":
        return next((word for word in words[2:] if word != "ownership"), "planes")
    if "absolute" in words:
        return "absolute"
    return "flat" if words[1].startswith("65-") else "planes"


def positions_of(game, count=12):
    positions = Positions(game, count)
    positions.play_random(4, seed=4)
    return positions


@pytest.mark.parametrize(("game", "kind"), ALL)
def test_evaluation_is_forward_of_planes(game, kind):
    net, positions = Network.random(game, kind), positions_of(game)
    assert net.kind == kind and net.parameters > 0 and net.provenance[0].startswith("random")
    values, policy = net.evaluate(positions)
    planes = positions.planes(view(kind)).reshape(len(positions), *net.input_shape)
    outputs = net.forward(planes, threads=1)
    expected = outputs["value"]
    if "absolute" in kind:
        expected = np.where(positions.sides == 0, -expected, expected)
    np.testing.assert_allclose(values, expected, rtol=1e-5)
    if "mlp" in kind:
        assert policy is None
        return
    mask = positions.legal_mask()
    np.testing.assert_allclose(policy.sum(1), 1, rtol=1e-4)
    assert (policy[~mask] == 0).all() and (policy[mask] > 0).all()
    # The softmax of the logits.
    flat = np.pad(outputs["policy"].reshape(len(positions), -1), ((0, 0), (0, 1)))
    position = positions[0]
    logits = flat[0][position.policy_indices(view(kind))].sum(1)
    expected = np.exp(logits - logits.max())
    np.testing.assert_allclose(policy[0][position.legal_actions], expected / expected.sum(), rtol=1e-4)


@pytest.mark.parametrize(("game", "kind"), ALL)
def test_files(game, kind, tmp_path):
    net, positions = Network.random(game, kind, seed=7), positions_of(game)
    values, _ = net.evaluate(positions)
    extensions = ["safetensors", "onnx"] + (["keras", "h5"] if kind.startswith("mlp") else [])
    for extension in extensions:
        path = tmp_path / f"net.{extension}"
        net.save(path)
        again = Network.load(path, game=game)
        assert (again.game, again.kind) == (game, kind)
        np.testing.assert_array_equal(again.evaluate(positions)[0], values)
    line = "mcts iterations=20" if kind.startswith("mlp") else "puct sims=20"
    by_file = Player(game, f"{line} net={tmp_path / 'net.safetensors'}").best(Position(game))
    assert net.player(line).best(Position(game)) == by_file
    again = Network.from_tensors(game, kind, net.tensors())
    np.testing.assert_array_equal(again.evaluate(positions)[0], values)


@pytest.mark.parametrize(("game", "kind"), ALL)
def test_onnxruntime_computes_the_same(game, kind, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    net, positions = Network.random(game, kind, seed=2), positions_of(game)
    net.save(tmp_path / "net.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "net.onnx"), providers=["CPUExecutionProvider"])
    planes = positions.planes(view(kind)).reshape(len(positions), *net.input_shape)
    found = dict(zip((output.name for output in session.get_outputs()), session.run(None, {"input": planes})))
    expected = net.forward(planes)
    assert set(found) == set(expected)
    np.testing.assert_allclose(found["value"].ravel(), expected["value"], atol=1e-4)
    for name in set(found) - {"value"}:
        np.testing.assert_allclose(found[name], expected[name], atol=1e-4)


def test_shipped_networks_play():
    for game in tablero.games():
        for name in tablero.weights(game)["net"]:
            net = Network.shipped(name)
            assert net.game == game
            values, _ = net.evaluate(Positions(game, 1))
            assert abs(values[0]) < 1
            assert Player(game, f"puct net={name} sims=8").best(Position(game)) == net.player("puct sims=8").best(
                Position(game)
            )


# PyTorch; skipped where it is not installed.


@pytest.fixture(scope="module")
def modules():
    pytest.importorskip("torch")
    import tablero.torch

    return tablero.torch


@pytest.mark.parametrize(("game", "kind"), ALL)
def test_modules_of_pytorch_compute_the_same(modules, game, kind, tmp_path):
    import torch

    torch.manual_seed(1)
    module = modules.module(game, kind)
    assert {name: tuple(value.shape) for name, value in module.state_dict().items()} == tablero.tensor_shapes(game, kind)
    positions = positions_of(game)
    # Of both sides.
    later = positions[::2]
    later.play_random(1, seed=9)
    positions.extend(later[~later.is_over()])
    planes = torch.from_numpy(positions.planes(view(kind)))
    module.train()
    module(planes)
    module.eval()
    net = module.network()
    with torch.no_grad():
        outputs = module(planes)
    found = net.forward(planes.numpy().reshape(len(positions), *net.input_shape))
    value = outputs if kind.startswith("mlp") else outputs[0]
    np.testing.assert_allclose(found["value"], value.numpy(), atol=1e-5)
    if not kind.startswith("mlp"):
        np.testing.assert_allclose(found["policy"], outputs[1].numpy(), atol=1e-4)
        mask = torch.from_numpy(positions.legal_mask())
        sides = None
        if module.view != "planes":
            with pytest.raises(ValueError, match="give sides=positions.sides"):
                module.action_logits(outputs[1], mask)
            with pytest.raises(ValueError, match="0 or 1"):
                module.action_logits(outputs[1], mask, sides=positions.sides[1:])
            sides = torch.from_numpy(positions.sides)
            assert set(positions.sides) == {0, 1}
        logits = module.action_logits(outputs[1], mask, sides=sides)
        np.testing.assert_allclose(logits.softmax(1).numpy(), net.evaluate(positions)[1], atol=1e-5)
    module.save(tmp_path / "net.safetensors")
    loaded = modules.load(tmp_path / "net.safetensors").eval()
    with torch.no_grad():
        again = loaded(planes)
    np.testing.assert_allclose((again if kind.startswith("mlp") else again[0]).numpy(), value.numpy(), atol=1e-6)


def test_safetensors_of_pytorch_play_at_once(modules, tmp_path):
    """Without our package: the layer names and the metadata are all that is needed."""
    torch = pytest.importorskip("torch")
    safetensors = pytest.importorskip("safetensors.torch")
    layer = torch.nn.ModuleDict({"layer": torch.nn.ModuleList([torch.nn.Linear(65, 8), torch.nn.Linear(8, 1)])})
    path = tmp_path / "mine.safetensors"
    metadata = {"format": "tablero-net 1", "game": "othello", "net": "mlp 65-8-1", "encoding": "2", "provenance": "mine"}
    safetensors.save_file(layer.state_dict(), path, metadata=metadata)
    assert Network.load(path).provenance == ["mine"]
    assert tablero.best(Position("othello"), f"mcts net={path} iterations=50")
    # Or even without the metadata, where the game is known.
    safetensors.save_file(modules.Resnet("chess", 2, 4).state_dict(), path)
    assert Network.load(path, game="chess").kind == "resnet 2x4"
    assert tablero.best(Position("chess"), f"puct net={path} sims=20")
    with pytest.raises(ValueError, match="give game="):
        Network.load(path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dynamo", [False, True])
@pytest.mark.parametrize(
    ("game", "kind"), [("othello", "mlp 65-8-4-1 absolute"), ("othello", "resnet 2x8"), ("chess", "resnet 1x4")]
)
def test_onnx_files_of_pytorch_are_read(modules, tmp_path, game, kind, dynamo):
    """Its older exporter folds batch normalization into the convolutions, its newer one has other names and operators."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    if dynamo:
        pytest.importorskip("onnxscript")
    module = modules.module(game, kind).train()
    planes = torch.from_numpy(positions_of(game).planes(view(kind)))
    module(planes)
    module.eval()
    path = tmp_path / "torch.onnx"
    options = {"external_data": False} if dynamo else {}
    torch.onnx.export(module, (planes,), str(path), dynamo=dynamo, **options)
    net = Network.load(path, game=game)
    assert net.kind == kind
    expected = module.network().forward(planes.numpy())
    for name, values in net.forward(planes.numpy()).items():
        np.testing.assert_allclose(values, expected[name], atol=1e-5)

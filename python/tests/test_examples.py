"""The examples, the tutorial and the README run."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

PYTHON = pathlib.Path(__file__).parent.parent
ROOT = PYTHON.parent


def run(code, folder, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_custom_evaluation(tmp_path):
    output = run((PYTHON / "examples/custom_evaluation.py").read_text(), tmp_path)
    assert output.count("Elo") == 3


def test_elo_curve(tmp_path):
    pytest.importorskip("matplotlib")
    run((PYTHON / "examples/elo_curve.py").read_text(), tmp_path, "tictactoe", "elo.svg", GAMES="10", DEPTH="3")
    assert (tmp_path / "elo.svg").read_text().startswith("<?xml")


def test_otelo(tmp_path):
    pytest.importorskip("torch")
    notebook = json.loads((PYTHON / "examples/otelo.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    sizes = {"OTELO_GAMES": "10", "OTELO_ITERATIONS": "30", "OTELO_EPOCHS": "10", "OTELO_MATCH": "4"}
    output = run("\n\n".join(cells), tmp_path, **sizes)
    assert "validation loss" in output and "score" in output
    assert (tmp_path / "otelo.safetensors").is_file()


@pytest.mark.parametrize("page", ["docs/tutorials/10-python.md", "python/README.md", "README.md"])
def test_python_in_the_documentation(page, tmp_path):
    """Blocks of a page run one after the other; a comment after `# ->` is the value of its line."""
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)
    assert blocks, f"{page} has no Python"
    names: dict = {}
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        for block in blocks:
            if "import torch" in block or "tablero.torch" in block:
                try:
                    import torch  # noqa: F401
                except ImportError:
                    continue
            exec(compile(block, page, "exec"), names)
            for expression, expected in re.findall(r"^(\S.*?) +# -> (.*)$", block, re.M):
                expression = expression.split(" = ", 1)[-1]
                assert repr(eval(expression, names)) == expected, expression
    finally:
        os.chdir(here)

#!/usr/bin/env python3
"""Checks chess rules and files against python-chess, an independent implementation.

    script/check-chess.py target/release/tablero

Needs the package `chess`. Exits with status 1 if a check fails.
"""

import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import chess
import chess.pgn

# Edge cases of en passant, promotion, castling, pins and checks, at depths that python-chess counts
# quickly.
STANDARD = [
    (chess.STARTING_FEN, 3),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 3),
    ("8/8/8/8/R2p3k/8/4P3/4K3 w - - 0 1", 3),
]
CHESS960 = [
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 3),
    ("1rk4r/8/8/8/8/8/8/RK5R w KQkq - 0 1", 3),
    ("qrk5/8/8/8/8/8/8/rRK1R3 w EBb - 0 1", 3),
]
COMMAND = re.compile(r"\[%(eval|emt) [^\]]*\]")


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def run(*arguments):
    done = subprocess.run([TABLERO, *arguments], capture_output=True, text=True)
    check(done.returncode == 0, f"tablero {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def convert(text, extension):
    """Reads a file with tablero and writes it back in the same format."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = (pathlib.Path(folder, name + extension) for name in ("in", "out"))
        source.write_text(text, encoding="utf-8")
        run("convert", str(source), str(target))
        return target.read_text(encoding="utf-8")


def perft(board, depth):
    if depth == 1:
        return board.legal_moves.count()
    leaves = 0
    for move in board.legal_moves:
        board.push(move)
        leaves += perft(board, depth - 1)
        board.pop()
    return leaves


def random_board(rng, plies, chess960):
    """A position after up to `plies` random moves."""
    board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
    for _ in range(plies):
        if board.is_game_over():
            break
        board.push(rng.choice(list(board.legal_moves)))
    return board


def check_perft(rng):
    boards = [(chess.Board(fen), depth) for fen, depth in STANDARD]
    boards += [(chess.Board(fen, chess960=True), depth) for fen, depth in CHESS960]
    boards += [(random_board(rng, rng.randrange(150), number % 3 == 0), 2) for number in range(30)]
    for board, depth in boards:
        rules = "chess960" if board.chess960 else "standard"
        fen = board.fen()
        answer = run(
            "perft", "chess", str(depth), "--position", fen, "--rules", rules, "--json"
        )
        expected = [perft(board, deeper) for deeper in range(1, depth + 1)]
        counts = json.loads(answer)["counts"]
        check(counts == expected, f"perft of {fen}: {counts}, python-chess counts {expected}")
    print(f"perft: {len(boards)} positions match")


def annotate(rng, node, board, depth):
    """Adds comments, NAGs and variations to a move and its continuation."""
    while node is not None:
        if rng.random() < 0.2:
            node.comment = rng.choice(["a comment; with (signs) $1 *", "zu spät", "100 % sure"])
            node.set_clock(rng.randrange(6000))
        if rng.random() < 0.2:
            node.set_eval(chess.engine.PovScore(chess.engine.Cp(rng.randrange(-900, 900)), True))
            node.set_emt(rng.randrange(100))
        if rng.random() < 0.2:
            node.nags.update(rng.sample(range(1, 140), rng.randrange(1, 3)))
        played = board.copy()
        board.push(node.move)
        following = node.next()
        others = [move for move in played.legal_moves if not node.parent.has_variation(move)]
        if depth > 0 and others and rng.random() < 0.15:
            variation = node.parent.add_variation(rng.choice(others))
            variation_board = played.copy()
            variation_board.push(variation.move)
            for reply in list(variation_board.legal_moves)[:1]:
                variation.add_main_variation(reply)
            annotate(rng, variation, played, depth - 1)
        node = following


def random_game(rng, number):
    start = random_board(rng, rng.choice([0, 0, 5, 30]), number % 2 == 0)
    start.clear_stack()
    game = chess.pgn.Game()
    game.setup(start)
    game.headers.update(
        Event=f'Test "{number}"', White="Müller, Ä.", Black="C:\\dir", WhiteElo="2000", ECO="A00"
    )
    board, node = start.copy(), game
    for _ in range(rng.randrange(80)):
        if board.is_game_over():
            break
        node = node.add_variation(rng.choice(list(board.legal_moves)))
        board.push(node.move)
    game.headers["Result"] = board.result() if board.is_game_over() else rng.choice(["1-0", "*"])
    if game.next() is not None:
        annotate(rng, game.next(), start.copy(), 2)
        game.comment = "a comment before the first move"
    return game


def tree(node):
    """The game tree below a node, as a comparable value."""
    words = " ".join(COMMAND.sub("", f"{node.starting_comment} {node.comment}").split())
    # The order of [%eval] and [%emt] in a comment does not matter.
    details = (words, node.clock(), node.emt(), node.eval(), tuple(sorted(node.nags)))
    return (details, [(child.uci(), tree(child)) for child in node.variations])


def headers_of(game):
    # python-chess does not unescape quotes and backslashes in tag values.
    headers = {name: re.sub(r'\\(["\\])', r"\1", value) for name, value in game.headers.items()}
    if "Variant" in headers:
        headers["Variant"] = headers["Variant"].lower()
    return headers


def check_pgn(rng):
    games = [random_game(rng, number) for number in range(40)]
    text = convert("\n\n".join(str(game) for game in games) + "\n", ".pgn")
    moves = [line for line in text.splitlines() if not re.match(r'\[\w+ "', line)]
    check(all(len(line) < 80 for line in moves), "movetext lines are shorter than 80 characters")
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        file.write(text)
        file.seek(0)
        for number, game in enumerate(games):
            read = chess.pgn.read_game(file)
            check(read is not None and not read.errors, f"game {number} is read: {read}")
            expected, found = headers_of(game), headers_of(read)
            check(found == expected, f"tags of game {number}: {found}, expected {expected}")
            check(tree(read) == tree(game), f"moves of game {number}:\n{read}\n\nexpected\n{game}")
        check(chess.pgn.read_game(file) is None, "there are no more games")
    print(f"PGN: {len(games)} games round-trip with comments, NAGs and variations")


def check_epd(rng):
    lines = []
    for number in range(60):
        board = random_board(rng, rng.randrange(100), False)
        moves = list(board.legal_moves)
        operations = {"id": f'position "{number}"; \\', "ce": rng.randrange(-500, 500)}
        operations |= {"hmvc": board.halfmove_clock, "fmvn": board.fullmove_number}
        if moves:
            operations |= {"bm": rng.sample(moves, min(2, len(moves))), "am": moves[:1]}
        lines.append(board.epd(**operations))
    converted = convert("# positions\n\n" + "\n".join(lines) + "\n", ".epd").splitlines()
    check(len(converted) == len(lines), f"{len(converted)} positions of {len(lines)}")
    for ours, theirs in zip(converted, lines):
        boards, operations = zip(*(chess.Board.from_epd(line) for line in (ours, theirs)))
        # hmvc 0 and fmvn 1 are defaults and may be omitted.
        counters = {"hmvc": 0, "fmvn": 1}
        check(boards[0].fen() == boards[1].fen(), f"EPD {ours}, expected {theirs}")
        check(counters | operations[0] == counters | operations[1], f"{ours}, expected {theirs}")
    print(f"EPD: {len(lines)} positions round-trip")


def main():
    rng = random.Random(1)
    check_perft(rng)
    check_pgn(rng)
    check_epd(rng)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    TABLERO = sys.argv[1]
    main()

/** The games as boards: their squares, and where those lie. No rules. */

export const GAMES = ['othello', 'chess', 'shobu', 'tictactoe'] as const
export type GameName = (typeof GAMES)[number]

/** 0 moves first: Black in Othello and Shōbu, White in chess, X in tic-tac-toe. */
export type Side = 0 | 1

/** A square's name as in the game's notation: d3. */
export type Square = string

/** What stands on squares, as the server writes it: X O, b w, x o, PNBRQK pnbrqk. */
export type Piece = string

/** A position as it is drawn. */
export interface Layout {
  pieces: Map<Square, Piece>
  toMove: Side
}

/** A point in units of one square, from the top left corner of the board. */
export interface Point {
  x: number
  y: number
}

export interface BoardShape {
  name: GameName
  columns: number
  rows: number
  /** Whole size in squares, gaps between boards included. */
  width: number
  height: number
  /** All squares in reading order, as the first player sees them; their places are cell numbers. */
  squares: Square[]
  /** The pieces that can be set up, the first player's first. */
  pieces: [Piece[], Piece[]]
  /** The cells of the usual start. */
  start: string
  /** The upper left corner of a square. */
  corner(square: Square, turned: boolean): Point
}

const FILES = 'abcdefgh'

/** The gap between Shōbu's boards, in squares: across (for the rope) and down. */
export const SHOBU_GAP = { x: 0.5, y: 0.9 }

export function isGame(text: string): text is GameName {
  return (GAMES as readonly string[]).includes(text)
}

/** Column and row of a square, both from 0; row 0 is the row written 1. */
export function fileRank(square: Square): [number, number] {
  return [square.charCodeAt(0) - 97, Number(square[1]) - 1]
}

function squareAt(file: number, rank: number): Square {
  return `${FILES[file] ?? '?'}${rank + 1}`
}

export function pieceSide(game: GameName, piece: Piece): Side {
  return SHAPES[game].pieces[0].includes(piece) ? 0 : 1
}

/** Squares row by row from the top; `ascending` if row 1 is at the top. */
function grid(size: number, ascending: boolean): Square[] {
  const squares: Square[] = []
  for (let line = 0; line < size; line++) {
    const rank = ascending ? line : size - 1 - line
    for (let file = 0; file < size; file++) squares.push(squareAt(file, rank))
  }
  return squares
}

function shape(
  name: GameName,
  size: number,
  ascending: boolean,
  pieces: [Piece[], Piece[]],
  start: string,
): BoardShape {
  const gap = name === 'shobu' ? SHOBU_GAP : { x: 0, y: 0 }
  return {
    name,
    columns: size,
    rows: size,
    width: size + gap.x,
    height: size + gap.y,
    squares: grid(size, ascending),
    pieces,
    start,
    corner(square, turned) {
      const [file, rank] = fileRank(square)
      const y = ascending ? rank : size - 1 - rank
      const flat = turned ? { x: size - 1 - file, y: size - 1 - y } : { x: file, y }
      return {
        x: flat.x + (flat.x >= 4 ? gap.x : 0),
        y: flat.y + (flat.y >= 4 ? gap.y : 0),
      }
    },
  }
}

const CHESS_START = 'rnbqkbnr' + 'p'.repeat(8) + '.'.repeat(32) + 'P'.repeat(8) + 'RNBQKBNR'
const SHOBU_HALF = 'w'.repeat(8) + '.'.repeat(16) + 'b'.repeat(8)
const OTHELLO_START = '.'.repeat(27) + 'OX......XO' + '.'.repeat(27)

export const SHAPES: Record<GameName, BoardShape> = {
  othello: shape('othello', 8, true, [['X'], ['O']], OTHELLO_START),
  chess: shape('chess', 8, false, [[...'KQRBNP'], [...'kqrbnp']], CHESS_START),
  shobu: shape('shobu', 8, false, [['b'], ['w']], SHOBU_HALF + SHOBU_HALF),
  tictactoe: shape('tictactoe', 3, true, [['x'], ['o']], '.'.repeat(9)),
}

/** The pieces that the server writes as one character a cell. */
export function piecesOf(game: GameName, cells: string): Map<Square, Piece> {
  const pieces = new Map<Square, Piece>()
  SHAPES[game].squares.forEach((square, cell) => {
    const piece = cells[cell]
    if (piece && piece !== '.') pieces.set(square, piece)
  })
  return pieces
}

export function cellsOf(game: GameName, pieces: Map<Square, Piece>): string {
  return SHAPES[game].squares.map((square) => pieces.get(square) ?? '.').join('')
}

export function squareOf(game: GameName, cell: number): Square {
  return SHAPES[game].squares[cell] ?? ''
}

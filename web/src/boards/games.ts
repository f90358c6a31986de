/**
 * Games as boards: squares and their geometry, without rules. Nothing here knows a particular game: all
 * comes from the server's catalog, which is loaded before the page is drawn.
 */

import type { BoardKind, GameKind, PieceKind, SideKind } from '../api/types'

/** A game's name in URLs and requests. */
export type GameName = string

/** 0 moves first. */
export type Side = 0 | 1

/** A square's name as in the game's notation: d3. */
export type Square = string

/** A piece as one character, unique in its game. */
export type Piece = string

/** A position to draw. */
export interface Layout {
  pieces: Map<Square, Piece>
  toMove: Side
}

/** A point in units of one square, from the top left corner of the board. */
export interface Point {
  x: number
  y: number
}

/** Column and row of a square, from the top left as the first player sees it. */
export interface Place {
  column: number
  row: number
}

/** A separate board of a game with several (Shōbu's four). */
export interface Part extends Point {
  columns: number
  rows: number
  /** One character per cell, row by row: d dark, l light, p plain. */
  grounds: string
}

export interface BoardShape {
  columns: number
  rows: number
  /** Whole size in squares, gaps between boards included. */
  width: number
  height: number
  columnNames: string[]
  rowNames: string[]
  /** All squares in reading order, as the first player sees them; their indices are cell indices. */
  squares: Square[]
  /** A single part for an ordinary board. */
  parts: Part[]
  /** Light and dark squares. */
  chequered: boolean
  /** Pieces drop into columns: any square plays its column, and the board is never flipped. */
  drops: boolean
  /** The name of its custom drawing. */
  drawing: string | undefined
  /** The pieces of each side, first player first. */
  pieces: [Piece[], Piece[]]
  start: string
  /** A characteristic position. */
  example: string
  place(square: Square): Place
  /** The upper left corner of a square. */
  corner(square: Square, flipped: boolean): Point
}

/** The gap between separate boards, in squares: horizontal and vertical. */
const GAP: Point = { x: 0.5, y: 0.9 }

/** The names of the squares; with a separator if column and row names alone are ambiguous. */
function squareNames(columns: string[], rows: string[]): Square[] {
  const names = (between: string) => rows.flatMap((row) => columns.map((column) => column + between + row))
  const plain = names('')
  return new Set(plain).size === plain.length ? plain : names('.')
}

function partsOf(board: BoardKind): Part[] {
  const [columns, rows] = [board.columns.length, board.rows.length]
  const [wide, high] = [board.split ?? columns, board.split ?? rows]
  const parts: Part[] = []
  for (let row = 0; row < rows; row += high) {
    for (let column = 0; column < columns; column += wide) {
      const line = (i: number) => board.grounds.slice((row + i) * columns + column, (row + i) * columns + column + wide)
      parts.push({
        x: column + (column / wide) * GAP.x,
        y: row + (row / high) * GAP.y,
        columns: wide,
        rows: high,
        grounds: Array.from({ length: high }, (_, i) => line(i)).join(''),
      })
    }
  }
  return parts
}

export function boardShape(board: BoardKind): BoardShape {
  const [columns, rows] = [board.columns.length, board.rows.length]
  const squares = squareNames(board.columns, board.rows)
  const cells = new Map(squares.map((square, cell) => [square, cell]))
  const parts = partsOf(board)
  const [wide, high] = [board.split ?? columns, board.split ?? rows]
  const own = (side: 'first' | 'second') => board.pieces.filter((piece) => piece.side === side).map((piece) => piece.letter)
  const place = (square: Square): Place => {
    const cell = cells.get(square) ?? 0
    return { column: cell % columns, row: Math.floor(cell / columns) }
  }
  return {
    columns,
    rows,
    width: columns + (columns / wide - 1) * GAP.x,
    height: rows + (rows / high - 1) * GAP.y,
    columnNames: board.columns,
    rowNames: board.rows,
    squares,
    parts,
    chequered: parts.some((part) => new Set(part.grounds).size > 1),
    drops: board.drops,
    drawing: board.drawing ?? undefined,
    pieces: [own('first'), own('second')],
    start: board.start,
    example: board.example,
    place,
    corner(square, flipped) {
      const { column, row } = place(square)
      const [x, y] = flipped ? [columns - 1 - column, rows - 1 - row] : [column, row]
      return { x: x + Math.floor(x / wide) * GAP.x, y: y + Math.floor(y / high) * GAP.y }
    },
  }
}

interface Game {
  kind: GameKind
  shape: BoardShape
}

let known = new Map<GameName, Game>()

/** Defines the games; called once, before anything is drawn. */
export function defineGames(kinds: GameKind[]) {
  known = new Map(kinds.map((kind) => [kind.name, { kind, shape: boardShape(kind.board) }]))
}

/** All games, in the server's order. */
export function gameNames(): GameName[] {
  return [...known.keys()]
}

/** The default game. */
export function firstGame(): GameName {
  return gameNames()[0] ?? ''
}

export function isGame(name: string): boolean {
  return known.has(name)
}

function find(game: GameName): Game {
  const found = known.get(game)
  if (!found) throw new Error(`no game ${game}`)
  return found
}

/** The server's description of a game. */
export function kindOf(game: GameName): GameKind {
  return find(game).kind
}

export function shapeOf(game: GameName): BoardShape {
  return find(game).shape
}

export function sideOf(game: GameName, side: Side): SideKind {
  return kindOf(game).sides[side] as SideKind
}

export function pieceKind(game: GameName, piece: Piece): PieceKind | undefined {
  return kindOf(game).board.pieces.find((known) => known.letter === piece)
}

export function pieceSide(game: GameName, piece: Piece): Side {
  return pieceKind(game, piece)?.side === 'second' ? 1 : 0
}

/** The pieces of a board with one character per cell. */
export function piecesOf(game: GameName, cells: string): Map<Square, Piece> {
  const pieces = new Map<Square, Piece>()
  shapeOf(game).squares.forEach((square, cell) => {
    const piece = cells[cell]
    if (piece && piece !== '.') pieces.set(square, piece)
  })
  return pieces
}

export function cellsOf(game: GameName, pieces: Map<Square, Piece>): string {
  return shapeOf(game).squares.map((square) => pieces.get(square) ?? '.').join('')
}

export function squareOf(game: GameName, cell: number): Square {
  return shapeOf(game).squares[cell] ?? ''
}

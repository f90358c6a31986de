/** Moves as clicks on squares: what a person does, step by step, to play one of the legal moves. */

import type { LegalMove, MoveShape } from '../api/types'
import { squareOf, type BoardShape, type GameName, type Piece, type Square } from './games'

/** A legal move, as far as the board must know it. */
export interface BoardMove {
  /** The move as the server reads it. */
  text: string
  /** As people write it. */
  label: string
  /** The squares to click, in order; none for a pass. */
  clicks: Square[]
  /** The piece that a pawn becomes. */
  promotion: string | undefined
}

/** The squares to click for a move, in order: from and to, of each piece that moves. */
export function clicksOf(game: GameName, shape: MoveShape): Square[] {
  const name = (cell: number) => squareOf(game, cell)
  switch (shape.kind) {
    case 'place':
      return [name(shape.to)]
    case 'slide':
      return [name(shape.from), name(shape.to)]
    case 'turn':
      return [shape.passive.from, shape.passive.to, shape.aggressive.from, shape.aggressive.to].map(name)
    case 'pass':
      return []
  }
}

export function boardMove(game: GameName, move: LegalMove): BoardMove {
  const clicks = clicksOf(game, move.shape)
  const promotion = move.shape.kind === 'slide' ? (move.shape.promotion ?? undefined) : undefined
  return { text: move.move, label: move.label, clicks, promotion }
}

/** The moves that begin with the clicks made so far. */
function matching(moves: BoardMove[], clicked: Square[]): BoardMove[] {
  return moves.filter((move) => clicked.every((square, index) => move.clicks[index] === square))
}

/** The squares that may be clicked next. */
export function nextSquares(moves: BoardMove[], clicked: Square[]): Set<Square> {
  const next = new Set<Square>()
  for (const move of matching(moves, clicked)) {
    const square = move.clicks[clicked.length]
    if (square) next.add(square)
  }
  return next
}

/** The square that a click on `square` means: where pieces drop, the one in its column that can be taken. */
export function aim(shape: BoardShape, next: Set<Square>, square: Square): Square {
  if (!shape.drops || next.has(square)) return square
  const { column } = shape.place(square)
  return [...next].find((target) => shape.place(target).column === column) ?? square
}

/** Whether all moves put something on a square. */
export function isPlacing(shapes: MoveShape[]): boolean {
  const moves = shapes.filter((shape) => shape.kind !== 'pass')
  return moves.length > 0 && moves.every((shape) => shape.kind === 'place')
}

/** What a click leads to: the clicks made by then, and the moves that they complete. */
export interface Clicked {
  clicked: Square[]
  /** More than one if the clicks leave a choice (promotion). */
  complete: BoardMove[]
}

/**
 * A click on `square` after `clicked`: the next step; or, on the square chosen last, one step back; or
 * another choice in an earlier step; elsewhere nothing is chosen any more.
 */
export function click(moves: BoardMove[], clicked: Square[], square: Square): Clicked {
  if (nextSquares(moves, clicked).has(square)) {
    const now = [...clicked, square]
    const complete = matching(moves, now).filter((move) => move.clicks.length === now.length)
    return { clicked: now, complete }
  }
  if (clicked.at(-1) === square) return { clicked: clicked.slice(0, -1), complete: [] }
  for (let kept = clicked.length - 1; kept >= 0; kept--) {
    const before = clicked.slice(0, kept)
    if (nextSquares(moves, before).has(square)) {
      return { clicked: [...before, square], complete: [] }
    }
  }
  // In a turn of several parts a stray click takes back only the part under way.
  return { clicked: clicked.length > 2 ? clicked.slice(0, 2) : [], complete: [] }
}

/** The pieces while a move is made: what was clicked from and to already stands on its target. */
export function preview(pieces: Map<Square, Piece>, clicked: Square[]): Map<Square, Piece> {
  const [from, to] = clicked
  const moved = from ? pieces.get(from) : undefined
  if (!from || !to || !moved) return pieces
  const shown = new Map(pieces)
  shown.delete(from)
  shown.set(to, moved)
  return shown
}

/** Squares that stand for moves of pieces, taken apart: [from, to] each. */
export function pairs(squares: Square[]): [Square, Square][] {
  const list: [Square, Square][] = []
  for (let i = 0; i + 1 < squares.length; i += 2) list.push([squares[i] ?? '', squares[i + 1] ?? ''])
  return list
}

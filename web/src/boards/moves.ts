/** Moves as sequences of clicks on squares. */

import type { LegalMove, MoveShape } from '../api/types'
import { squareOf, type BoardShape, type GameName, type Piece, type Square } from './games'

/** A legal move as the board sees it. */
export interface BoardMove {
  /** The move, as in requests. */
  text: string
  /** The move in the game's notation. */
  label: string
  /** The squares to click, in order; none for a pass. */
  clicks: Square[]
  /** The letter of the promoted piece. */
  promotion: string | undefined
}

/** The squares to click for a move, in order: from and to of each piece. */
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

/** The moves that start with the given clicks. */
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

/** The target of a click on `square`: if pieces drop, the playable square of its column. */
export function aim(shape: BoardShape, next: Set<Square>, square: Square): Square {
  if (!shape.drops || next.has(square)) return square
  const { column } = shape.place(square)
  return [...next].find((target) => shape.place(target).column === column) ?? square
}

/** Whether all moves place a piece. */
export function isPlacing(shapes: MoveShape[]): boolean {
  const moves = shapes.filter((shape) => shape.kind !== 'pass')
  return moves.length > 0 && moves.every((shape) => shape.kind === 'place')
}

/** The state after a click: the clicks so far, and the moves that they complete. */
export interface Clicked {
  clicked: Square[]
  /** Several in the case of a promotion. */
  complete: BoardMove[]
}

/**
 * A click on `square` after `clicked`: the next step; on the last selected square one step back; on an
 * alternative of an earlier step that alternative; elsewhere the selection is cleared.
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
  // In a turn of several parts a stray click clears only the current part.
  return { clicked: clicked.length > 2 ? clicked.slice(0, 2) : [], complete: [] }
}

/** The pieces during a move: the first one that was moved is shown on its target. */
export function preview(pieces: Map<Square, Piece>, clicked: Square[]): Map<Square, Piece> {
  const [from, to] = clicked
  const moved = from ? pieces.get(from) : undefined
  if (!from || !to || !moved) return pieces
  const shown = new Map(pieces)
  shown.delete(from)
  shown.set(to, moved)
  return shown
}

/** Splits the squares of a move into [from, to] pairs. */
export function pairs(squares: Square[]): [Square, Square][] {
  const list: [Square, Square][] = []
  for (let i = 0; i + 1 < squares.length; i += 2) list.push([squares[i] ?? '', squares[i + 1] ?? ''])
  return list
}

/** The moves that a premove may become. */

import { pieceSide, shapeOf, type GameName, type Piece, type Side, type Square } from '../boards/games'
import type { BoardMove } from '../boards/moves'

/** The clicks of a premove as text. */
const textOf = (clicks: Square[]) => clicks.join(' ')

const made = (clicks: Square[]): BoardMove => ({ text: textOf(clicks), label: clicks.join('–'), clicks, promotion: undefined })

/**
 * All that may become a move of `side`: the rules are the server's, so that these are only the shapes of moves. A piece
 * goes to any square, or is placed on any empty one; a turn of two pieces moves both by the same step.
 */
export function candidates(game: GameName, pieces: Map<Square, Piece>, side: Side): BoardMove[] {
  const { squares, parts } = shapeOf(game)
  const own = squares.filter((square) => {
    const piece = pieces.get(square)
    return piece !== undefined && pieceSide(game, piece) === side
  })
  if (parts.length > 1) return turns(game, own)
  if (isPlacingGame(game)) return squares.filter((square) => !pieces.has(square)).map((to) => made([to]))
  return own.flatMap((from) => squares.filter((to) => to !== from).map((to) => made([from, to])))
}

/** Whether a game places pieces instead of moving them: each side has only one kind of piece. */
function isPlacingGame(game: GameName): boolean {
  return shapeOf(game).pieces.every((own) => own.length === 1)
}

/** Turns of two pieces with the same step of one or two squares, on boards of different colour. */
function turns(game: GameName, own: Square[]): BoardMove[] {
  const shape = shapeOf(game)
  const [width, height] = [shape.parts[0]?.columns ?? shape.columns, shape.parts[0]?.rows ?? shape.rows]
  const boardOf = (square: Square) => {
    const { column, row } = shape.place(square)
    return { x: Math.floor(column / width), y: Math.floor(row / height) }
  }
  const moved = (square: Square, dx: number, dy: number): Square | undefined => {
    const { column, row } = shape.place(square)
    const [toColumn, toRow] = [column + dx, row + dy]
    const isInside = Math.floor(toColumn / width) === Math.floor(column / width) && Math.floor(toRow / height) === Math.floor(row / height)
    return isInside ? shape.squares[toRow * shape.columns + toColumn] : undefined
  }
  const steps = [-2, -1, 0, 1, 2].flatMap((dx) => [-2, -1, 0, 1, 2].map((dy) => [dx, dy] as const))
  const straight = steps.filter(([dx, dy]) => (dx !== 0 || dy !== 0) && (dx === 0 || dy === 0 || Math.abs(dx) === Math.abs(dy)))
  return straight.flatMap(([dx, dy]) => {
    const able = own.flatMap((from) => {
      const to = moved(from, dx, dy)
      return to ? [{ from, to, board: boardOf(from) }] : []
    })
    return able.flatMap((passive) =>
      able.filter((aggressive) => aggressive.board.x !== passive.board.x).map((aggressive) => made([passive.from, passive.to, aggressive.from, aggressive.to])),
    )
  })
}

/** The legal move with these clicks: in its column if pieces drop; the strongest piece of a promotion. */
export function legalMove(game: GameName, legal: BoardMove[], clicks: Square[]): BoardMove | undefined {
  const shape = shapeOf(game)
  const target = (squares: Square[]) => (shape.drops ? String(shape.place(squares[0] ?? '').column) : textOf(squares))
  const same = legal.filter((move) => target(move.clicks) === target(clicks))
  return same.find((move) => move.promotion?.toLowerCase() === 'q') ?? same[0]
}

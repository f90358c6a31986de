/** Castling rights and en passant squares that a chess position allows. */

import type { Piece, Side, Square } from '../boards/games'

export const RIGHTS = ['K', 'Q', 'k', 'q'] as const
export type Right = (typeof RIGHTS)[number]

const HOMES: Record<Right, [king: Square, rook: Square]> = {
  K: ['e1', 'h1'],
  Q: ['e1', 'a1'],
  k: ['e8', 'h8'],
  q: ['e8', 'a8'],
}

/** Whether king and rook are on their home squares. */
export function canCastle(pieces: Map<Square, Piece>, right: Right): boolean {
  const [king, rook] = HOMES[right]
  const isWhite = right === right.toUpperCase()
  return pieces.get(king) === (isWhite ? 'K' : 'k') && pieces.get(rook) === (isWhite ? 'R' : 'r')
}

/** The possible en passant squares: those that an enemy pawn may just have crossed. */
export function enPassantSquares(pieces: Map<Square, Piece>, toMove: Side): Square[] {
  const [pawn, rank, crossed, home] = toMove === 0 ? ['p', 5, 6, 7] : ['P', 4, 3, 2]
  return [...'abcdefgh']
    .filter((file) => pieces.get(`${file}${rank}`) === pawn)
    .filter((file) => !pieces.has(`${file}${crossed}`) && !pieces.has(`${file}${home}`))
    .map((file) => `${file}${crossed}`)
}

/** Identities of pieces across positions, so that pieces slide instead of jump. */

import type { Piece, Square } from './games'

export interface Traced {
  id: number
  square: Square
  piece: Piece
}

/**
 * Pieces that stay keep their id; a new one takes the id of an equal one that disappeared. Discs do not
 * move: they flip in place and keep their id.
 */
export function trace(
  before: Traced[],
  pieces: Map<Square, Piece>,
  moved: [Square, Square][] = [],
  isDisc: (piece: Piece) => boolean = () => false,
): Traced[] {
  const wanted = new Map(pieces)
  const free: Traced[] = []
  const after: Traced[] = []
  for (const old of before) {
    const now = wanted.get(old.square)
    if (now !== undefined && (now === old.piece || (isDisc(now) && isDisc(old.piece)))) {
      after.push({ ...old, piece: now })
      wanted.delete(old.square)
    } else {
      free.push(old)
    }
  }
  let next = before.reduce((highest, old) => Math.max(highest, old.id), 0) + 1
  for (const [square, piece] of wanted) {
    const from = moved.find(([, to]) => to === square)?.[0]
    let found = free.findIndex((old) => old.square === from && old.piece === piece)
    if (found < 0 && !isDisc(piece)) found = free.findIndex((old) => old.piece === piece)
    const old = found >= 0 ? free.splice(found, 1)[0] : undefined
    after.push({ id: old?.id ?? next++, square, piece })
  }
  // A stable order keeps the DOM elements, so that their transitions run.
  return after.sort((a, b) => a.id - b.id)
}

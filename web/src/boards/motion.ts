/** Moves of several parts are shown one part after the other: a passive, an aggressive move, and what it pushes. */

import type { Square } from './games'
import type { Traced } from './trace'

/** The time that one part takes, in milliseconds. */
const PART = 300

/** When a piece leaves the board that was pushed off in a move of two parts. */
export const LEAVE_MS = 1.6 * PART

/** Milliseconds until each piece starts to move, by its id. Only moves of several parts wait. */
export function waitsOf(before: Traced[], after: Traced[], parts: [Square, Square][]): Map<number, number> {
  const waits = new Map<number, number>()
  if (parts.length < 2) return waits
  const old = new Map(before.map((piece) => [piece.id, piece.square]))
  const hasMoved = ({ id, square }: Traced) => old.has(id) && old.get(id) !== square
  // Nothing moved as the move says: another position was opened.
  if (!after.some((piece) => hasMoved(piece) && parts.some(([, to]) => to === piece.square))) return waits
  for (const piece of after.filter(hasMoved)) {
    const part = parts.findIndex(([, to]) => to === piece.square)
    // A pushed piece starts when it is hit.
    waits.set(piece.id, part >= 0 ? part * PART : (parts.length - 0.6) * PART)
  }
  return waits
}

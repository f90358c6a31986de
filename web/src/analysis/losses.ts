/** What each side lost by its moves, added up over the game. */

import type { Node, Review } from '../api/types'

/** The loss of a move that throws away a forced win, or allows one, has no number; it adds nothing. */
export function totalLosses(line: Node[], review: Review): [number[], number[]] {
  const lost = new Map(review.moves.map((move) => [move.node, move.points_lost ?? 0]))
  const totals: [number[], number[]] = [[0], [0]]
  for (const node of line.slice(1)) {
    for (const side of [0, 1] as const) {
      const isOwn = node.number?.by === (side === 0 ? 'first' : 'second')
      totals[side].push((totals[side].at(-1) ?? 0) + (isOwn ? Math.max(0, lost.get(node.id) ?? 0) : 0))
    }
  }
  return totals
}

/** How many pieces the first side is ahead, at each node of a line. */
export function differences(line: Node[]): number[] {
  return line.map((node) => (node.pieces[0] ?? 0) - (node.pieces[1] ?? 0))
}

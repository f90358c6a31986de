/** The judgements of a review: colours, signs, counts. */

import type { Judgement, Review } from '../api/types'

/** The CSS colour variable of a judgement. */
export const COLOURS: Record<Judgement, string> = {
  best: '--good',
  good: '--good',
  forced: '--muted',
  inaccuracy: '--judge-inaccuracy',
  mistake: '--judge-mistake',
  blunder: '--judge-blunder',
}

/** The annotation signs of mistakes. */
export const SIGNS = { inaccuracy: '?!', mistake: '?', blunder: '??' }

export function isMistake(judgement: Judgement): judgement is 'inaccuracy' | 'mistake' | 'blunder' {
  return judgement === 'inaccuracy' || judgement === 'mistake' || judgement === 'blunder'
}

/** Counts each kind of mistake, over the moves to nodes for which `isTheirs` is true. */
export function counts(review: Review, isTheirs: (node: number) => boolean) {
  const found = { inaccuracy: 0, mistake: 0, blunder: 0 }
  for (const move of review.moves) {
    if (isMistake(move.judgement) && isTheirs(move.node)) found[move.judgement]++
  }
  return found
}

/** The number of the move from which all scores are exact, if there is one. */
export function exactFrom(review: Review): number | undefined {
  const first = review.moves.findLastIndex((move) => !move.exact) + 1
  return first < review.moves.length ? first + 1 : undefined
}

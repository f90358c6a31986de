/** The explanation of an evaluation of a position, and what of it is shown on the board. */

import { api } from '../api/client'
import type { CellValue, ExplanationView, TermView } from '../api/types'
import type { Shade } from '../boards/Board.svelte'
import type { Hint } from '../boards/Hints.svelte'
import { squareOf, type GameName } from '../boards/games'
import { clicksOf } from '../boards/moves'
import { formatFixed } from '../i18n/numbers'
import { showError } from '../ui/messages.svelte'

/** What is left over when all other terms are summed. */
export const isRemainder = ({ name }: TermView) => ['rest', 'rounding', 'limit'].includes(name)

/** The moves of a policy that are drawn. */
const DRAWN = 3

/** What is explained: the evaluation, or network, of a player in a position in which moves remain. */
export interface Subject {
  game: GameName
  rules: string | null | undefined
  position: string
  player: string
}

export class Insight {
  /** The last explanation; it stays until the next one arrives. */
  private found = $state.raw<ExplanationView>()
  /** The name of the term whose squares are shown; all terms together if null. */
  pointed = $state<string | null>(null)
  ownership = $state(false)

  /** Follows `subject`; there is nothing to explain while it is undefined. */
  constructor(readonly subject: () => Subject | undefined) {
    $effect(() => this.follow())
  }

  get game(): GameName {
    return this.subject()?.game ?? ''
  }

  get explanation(): ExplanationView | undefined {
    return this.subject() && this.found
  }

  private follow(): (() => void) | undefined {
    const subject = this.subject()
    if (!subject) return
    const { game, rules, position, player } = subject
    let current = true
    api.explain(game, { rules, position, moves: [], player }).then(
      (found) => {
        if (current) this.found = found
      },
      (error) => {
        if (!current) return
        this.found = undefined
        showError(error)
      },
    )
    return () => (current = false)
  }

  /** The terms that contribute most first; what is left over comes last. */
  get terms(): TermView[] {
    return [...(this.explanation?.terms ?? [])].sort(
      (a, b) => Number(isRemainder(a)) - Number(isRemainder(b)) || Math.abs(b.contribution) - Math.abs(a.contribution),
    )
  }

  /** What is shown on the squares: for a term its cells, otherwise the contributions of all terms that have parts. */
  get shades(): Shade[] {
    const { explanation, game } = this
    if (!explanation) return []
    if (this.ownership && explanation.network) return shadesOf(game, explanation.network.ownership, 1)
    const term = explanation.terms.find((term) => term.name === this.pointed)
    if (term) {
      const sign = term.weight < 0 ? -1 : 1
      return shadesOf(game, term.cells.map((cell) => ({ ...cell, value: sign * cell.value })))
    }
    return shadesOf(game, sumOf(explanation.terms))
  }

  /** The moves that a network prefers. */
  get hints(): Hint[] {
    const policy = this.explanation?.network?.policy ?? []
    if (this.pointed || this.ownership) return []
    const best = policy[0]?.rating ?? 0
    return policy.slice(0, DRAWN).map((move, index) => ({
      squares: clicksOf(this.game, move.shape),
      score: formatFixed(move.rating <= 1 && move.rating >= 0 ? 100 * move.rating : move.rating, 0),
      weight: best > 0 ? Math.max(0.1, move.rating / best) : 0.5,
      best: index === 0,
      number: undefined,
    }))
  }
}

/** The parts of all terms by cell, in units of the evaluation. A cell's part is its share of the term's contribution. */
function sumOf(terms: TermView[]): CellValue[] {
  const sums = new Map<number, number>()
  for (const term of terms) {
    const whole = term.cells.reduce((sum, cell) => sum + cell.value, 0)
    // Of features that are no sum over cells the squares have no part.
    if (Math.abs(whole - term.value) > 1e-6) continue
    for (const { cell, value } of term.cells) sums.set(cell, (sums.get(cell) ?? 0) + value * term.weight)
  }
  return [...sums].map(([cell, value]) => ({ cell, value }))
}

/** Shades relative to the largest number, or to `scale`. */
function shadesOf(game: GameName, cells: CellValue[], scale?: number): Shade[] {
  const largest = scale ?? Math.max(...cells.map(({ value }) => Math.abs(value)), 1e-9)
  return cells
    .map(({ cell, value }) => ({ square: squareOf(game, cell), value: value / largest }))
    .filter(({ value }) => Math.abs(value) > 0.02 || cells.length < 20)
}

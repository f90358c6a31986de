/** The evaluation of the node on the screen, term by term, and what of it is shown on the board. */

import { api } from '../api/client'
import type { CellValue, EvaluationView, ExplanationView, TermView } from '../api/types'
import type { Shade } from '../boards/Board.svelte'
import type { Hint } from '../boards/Hints.svelte'
import { squareOf, type GameName } from '../boards/games'
import { clicksOf } from '../boards/moves'
import type { Session } from '../game/session.svelte'
import { formatFixed } from '../i18n/numbers'
import { showError } from '../ui/messages.svelte'

/** What is left over when all other terms are summed. */
export const isRemainder = ({ name }: TermView) => ['rest', 'rounding', 'limit'].includes(name)

/** The moves of a policy that are drawn. */
const DRAWN = 3

export class Explainer {
  /** Whether its panel is open. */
  on = $state(false)
  evaluations = $state.raw<EvaluationView[]>([])
  /** The player line whose evaluation is shown, by game; the first evaluation if there is none. */
  private chosen = $state<Record<GameName, string>>({})
  explanation = $state.raw<ExplanationView>()
  /** The name of the term whose squares are shown; all terms together if null. */
  pointed = $state<string | null>(null)
  ownership = $state(false)

  constructor(readonly session: Session) {
    $effect(() => {
      const { game } = session
      if (!this.on || !game) return
      api.evaluations(game).then((found) => (this.evaluations = found), showError)
    })
    $effect(() => this.follow())
  }

  get player(): string {
    return this.chosen[this.session.game] ?? this.evaluations[0]?.player ?? ''
  }

  set player(line: string) {
    this.chosen = { ...this.chosen, [this.session.game]: line }
  }

  get isOver(): boolean {
    return !!this.session.node?.end
  }

  private follow(): (() => void) | undefined {
    const { session, player } = this
    const node = session.node
    if (!this.on || !node || node.end || !player) return
    let current = true
    const request = { rules: session.data?.info.rules, position: node.position, moves: [], player }
    api.explain(session.game, request).then(
      (found) => {
        if (current) this.explanation = found
      },
      (error) => {
        if (!current) return
        this.explanation = undefined
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
    const found = this.explanation
    if (!this.on || !found || this.isOver) return []
    if (this.ownership && found.network) return shadesOf(this.session.game, found.network.ownership, 1)
    const term = found.terms.find((term) => term.name === this.pointed)
    if (term) {
      const sign = term.weight < 0 ? -1 : 1
      return shadesOf(this.session.game, term.cells.map((cell) => ({ ...cell, value: sign * cell.value })))
    }
    return shadesOf(this.session.game, sumOf(found.terms))
  }

  /** The moves that a network prefers. */
  get hints(): Hint[] {
    const policy = this.explanation?.network?.policy ?? []
    if (!this.on || this.isOver || this.pointed || this.ownership) return []
    const best = policy[0]?.rating ?? 0
    return policy.slice(0, DRAWN).map((move, index) => ({
      squares: clicksOf(this.session.game, move.shape),
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

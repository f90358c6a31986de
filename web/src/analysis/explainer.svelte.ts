/** The evaluation of the node on the screen: which one is chosen, and its explanation. */

import { api } from '../api/client'
import type { EvaluationView } from '../api/types'
import type { GameName } from '../boards/games'
import type { Session } from '../game/session.svelte'
import { showError } from '../ui/messages.svelte'
import { Insight, type Subject } from './insight.svelte'

export class Explainer {
  /** Whether its panel is open. */
  on = $state(false)
  evaluations = $state.raw<EvaluationView[]>([])
  /** The player line whose evaluation is shown, by game; the first evaluation if there is none. */
  private chosen = $state<Record<GameName, string>>({})
  readonly insight = new Insight(() => this.subject())

  constructor(readonly session: Session) {
    $effect(() => {
      const { game } = session
      if (!this.on || !game) return
      api.evaluations(game).then((found) => (this.evaluations = found), showError)
    })
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

  private subject(): Subject | undefined {
    const { session, player } = this
    const { node, game, data } = session
    if (!this.on || !node || node.end || !player) return undefined
    return { game, rules: data?.info.rules, position: node.position, player }
  }
}

/** Learning from mistakes: the user looks for a move about as good as the best one. */

import { live } from '../api/live.svelte'
import type { Pv, ReviewedMove } from '../api/types'
import { moveText } from '../boards/notation'
import type { Session } from '../game/session.svelte'
import { announce } from '../ui/messages.svelte'
import { t } from '../i18n'

/** The most win probability that a solution may lose. */
const MAX_LOSS = 0.02
const SEARCH_MS = 1200

type Outcome = 'asking' | 'checking' | 'right' | 'wrong' | 'shown'

export class Practice {
  private mistake = $state.raw<ReviewedMove | null>(null)
  /** The node before the mistake. */
  node = $state<number | null>(null)
  outcome = $state<Outcome>('asking')
  tried = $state('')

  constructor(readonly session: Session) {}

  get on(): boolean {
    return this.node !== null && this.session.viewed === this.node
  }

  get best(): string {
    return this.mistake?.best_labels[0] ?? ''
  }

  start(mistake: ReviewedMove) {
    const parent = this.session.data?.nodes.get(mistake.node)?.parent
    if (parent == null) return
    this.mistake = mistake
    this.node = parent
    this.outcome = 'asking'
    this.session.view(parent)
  }

  stop() {
    const { mistake } = this
    this.mistake = null
    this.node = null
    if (mistake) this.session.view(mistake.node)
  }

  show() {
    this.outcome = 'shown'
  }

  /** The node whose better moves must not be shown yet. */
  get secret(): number | null {
    return this.on && this.outcome !== 'right' && this.outcome !== 'shown' ? this.node : null
  }

  /** Checks the user's move instead of playing it. */
  async attempt(move: string) {
    if (!this.mistake || this.node === null) return
    this.tried = this.session.moves.find((legal) => legal.move === move)?.label ?? move
    this.outcome = 'checking'
    const right = move === this.mistake.best[0] || (await this.isSolution(this.node, move))
    this.outcome = right ? 'right' : 'wrong'
    const shown = moveText(this.session.game, this.tried)
    announce(right ? t().review.right(shown) : t().review.wrong(shown))
  }

  private isSolution(node: number, move: string): Promise<boolean> {
    const target = { kind: 'node' as const, game: this.session.id, node }
    const turn = this.session.data?.nodes.get(node)?.turn
    let pvs: Pv[] = []
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        stop()
        const tried = pvs.find((pv) => pv.moves[0] === move)
        const best = pvs[0]
        const loss = tried && best ? Math.abs(best.score.win_probability - tried.score.win_probability) : 1
        resolve(turn !== undefined && loss <= MAX_LOSS)
      }
      const timer = setTimeout(finish, SEARCH_MS)
      const stop = live.analyse(
        { target, multipv: 64, threads: 1, hash_mb: 16 },
        { report: (report) => (pvs = report.pvs), done: finish, failed: finish },
      )
    })
  }
}

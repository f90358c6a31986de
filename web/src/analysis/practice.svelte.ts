/** Trying a mistake again: find a move that is about as good as the best one. */

import { live } from '../api/live.svelte'
import type { AnalysisLine, ReviewedMove } from '../api/types'
import type { Session } from '../game/session.svelte'
import { announce } from '../ui/messages.svelte'
import { t } from '../i18n'

/** A move that loses no more of the win chance than this counts as found. */
const CLOSE_ENOUGH = 0.02
const THINK_MS = 1200

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

  /** Takes the person's move instead of playing it. */
  async attempt(move: string) {
    if (!this.mistake || this.node === null) return
    this.tried = this.session.moves.find((legal) => legal.move === move)?.label ?? move
    this.outcome = 'checking'
    const right = move === this.mistake.best[0] || (await this.isAsGood(this.node, move))
    this.outcome = right ? 'right' : 'wrong'
    announce(right ? t().review.right(this.tried) : t().review.wrong(this.tried))
  }

  private isAsGood(node: number, move: string): Promise<boolean> {
    const target = { kind: 'node' as const, game: this.session.id, node }
    const turn = this.session.data?.nodes.get(node)?.turn
    let lines: AnalysisLine[] = []
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        stop()
        const tried = lines.find((line) => line.moves[0] === move)
        const best = lines[0]
        const lost = tried && best ? Math.abs(best.value.chance - tried.value.chance) : 1
        resolve(turn !== undefined && lost <= CLOSE_ENOUGH)
      }
      const timer = setTimeout(finish, THINK_MS)
      const stop = live.analyse(
        { target, lines: 64, threads: 1, hash_mb: 16 },
        { report: (report) => (lines = report.lines), done: finish, failed: finish },
      )
    })
  }
}

/** Live analysis of the node on the screen, and the review of a whole game. */

import { live } from '../api/live.svelte'
import type { AnalysisLine, AnalysisReport } from '../api/types'
import type { Hint } from '../boards/Hints.svelte'
import { clicksOf, isPlacing } from '../boards/moves'
import { about } from '../catalog.svelte'
import { valueFor } from '../game/names'
import type { Session } from '../game/session.svelte'
import { settings } from '../settings.svelte'
import { complain } from '../ui/messages.svelte'

/** Time for each move of a review, in milliseconds. */
const REVIEW_MS = 400

export class Analyst {
  on = $state(false)
  queued = $state(false)
  running = $state(false)
  /** What is known of each node. */
  private reports = $state.raw(new Map<number, AnalysisReport>())
  reviewing = $state<{ done: number; total: number } | null>(null)
  private stopReview: (() => void) | null = null

  constructor(readonly session: Session) {
    $effect(() => this.follow())
    $effect(() => () => this.stopReview?.())
  }

  /** Analyses whatever node is on the screen, as long as it is on. */
  private follow(): (() => void) | undefined {
    const { session } = this
    const { viewed } = session
    if (!this.on || !session.data || session.node?.end) return
    const most = about()?.limits.lines ?? settings.lines
    const lines = this.placing ? Math.min(most, session.moves.length) : settings.lines
    const request = {
      target: { kind: 'node' as const, game: session.id, node: viewed },
      lines,
      threads: settings.threads,
      hash_mb: settings.memory,
    }
    this.running = true
    const finish = () => {
      this.running = false
      this.queued = false
    }
    const stop = live.analyse(request, {
      report: (report) => {
        this.queued = false
        this.reports = new Map(this.reports).set(viewed, report)
      },
      queued: () => (this.queued = true),
      done: finish,
      failed: (error) => {
        finish()
        complain(error)
      },
    })
    return () => {
      finish()
      stop()
    }
  }

  /** Whether moves only put something on a square: then there is room for the value of each. */
  private get placing(): boolean {
    return isPlacing(this.session.moves.map((move) => move.shape))
  }

  /** What is known of the node on the screen. */
  get report(): AnalysisReport | undefined {
    return this.on ? this.reports.get(this.session.viewed) : undefined
  }

  get lines(): AnalysisLine[] {
    return (this.report?.lines ?? []).slice(0, settings.lines)
  }

  /** The chance of the first player, from 0 to 1, as far as something is known of it. */
  get chance(): number | undefined {
    const node = this.session.node
    if (node?.end) return node.end.winner === 'first' ? 1 : node.end.winner === 'second' ? 0 : 0.5
    return this.report?.lines[0]?.value.chance ?? node?.value?.chance
  }

  get valueText(): string {
    const node = this.session.node
    const value = this.report?.lines[0]?.value ?? node?.value
    return value && !node?.end ? valueFor(this.session.game, value, 0) : ''
  }

  /** Numbers on squares where something can be put, arrows where pieces move. */
  get hints(): Hint[] {
    if (!settings.hints || !this.report) return []
    const { game, toMove } = this.session
    const { placing } = this
    const list = placing ? this.report.lines : this.lines
    const sign = toMove === 0 ? 1 : -1
    const best = list[0]?.value
    if (!best) return []
    return list.flatMap((line) => {
      if (!line.first) return []
      const behind = sign * (best.chance - line.value.chance)
      return {
        squares: clicksOf(game, line.first),
        value: valueFor(game, line.value, toMove),
        weight: Math.max(0.1, 1 - 5 * behind),
        best: placing ? behind < 0.001 : line === list[0],
      }
    })
  }

  review() {
    this.stopReview?.()
    this.reviewing = { done: 0, total: 0 }
    const finish = () => {
      this.reviewing = null
      this.stopReview = null
    }
    this.stopReview = live.review(this.session.id, REVIEW_MS, {
      progress: (done, total) => (this.reviewing = { done, total }),
      done: finish,
      failed: (error) => {
        finish()
        complain(error)
      },
    })
  }

  cancelReview() {
    this.stopReview?.()
    this.stopReview = null
    this.reviewing = null
  }
}

/** Live analysis of the node on the screen, and the review of the game. */

import { live } from '../api/live.svelte'
import type { AnalysisReport, Pv, Score } from '../api/types'
import type { Hint } from '../boards/Hints.svelte'
import { kindOf } from '../boards/games'
import { clicksOf } from '../boards/moves'
import { about } from '../catalog.svelte'
import { scoreFor } from '../game/names'
import type { Session } from '../game/session.svelte'
import { settings } from '../settings.svelte'
import { showError } from '../ui/messages.svelte'

/** Time per move of a review, in milliseconds. */
const REVIEW_MS = 400

/** The first side's expected score, from 0 to 1: an exact score is a win, a draw or a loss. */
export function expectedScore(score: Score, exact: boolean): number {
  if (!exact) return score.win_probability
  return score.points > 0 ? 1 : score.points < 0 ? 0 : 0.5
}

export class Analyst {
  on = $state(false)
  queued = $state(false)
  running = $state(false)
  /** The last report of each node. */
  private reports = $state.raw(new Map<number, AnalysisReport>())
  /** The number of the line that the user points at, from 0. */
  pointed = $state<number | null>(null)
  reviewing = $state<{ done: number; total: number } | null>(null)
  private stopReview: (() => void) | null = null

  /** The line of the reports. */
  private reported = ''

  /** `line` is the player line of the analyst; the game's usual one if empty. */
  constructor(readonly session: Session, private readonly line: () => string = () => '') {
    $effect(() => this.follow())
    $effect(() => () => this.stopReview?.())
  }

  /** Analyses the node on the screen while it is on. */
  private follow(): (() => void) | undefined {
    const { session } = this
    const { viewed } = session
    const player = this.line()
    if (player !== this.reported) {
      this.reported = player
      this.reports = new Map()
    }
    if (!this.on || !session.data || session.node?.end) return
    const max = about()?.limits.multipv ?? settings.lines
    const multipv = session.placing ? Math.min(max, session.moves.length) : settings.lines
    const request = {
      target: { kind: 'node' as const, game: session.id, node: viewed },
      multipv,
      threads: settings.threads,
      hash_mb: settings.memory,
      player: player || undefined,
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
        showError(error)
      },
    })
    return () => {
      finish()
      stop()
    }
  }

  /** The player line of the analyst. */
  get player(): string {
    return this.line() || (this.session.data ? kindOf(this.session.game).analyst : '')
  }

  /** The last report of the node on the screen. */
  get report(): AnalysisReport | undefined {
    return this.on ? this.reports.get(this.session.viewed) : undefined
  }

  get pvs(): Pv[] {
    return (this.report?.pvs ?? []).slice(0, settings.lines)
  }

  /** The win probability of the first side, from 0 to 1, if known. */
  get winProbability(): number | undefined {
    const node = this.session.node
    if (node?.end) return node.end.winner === 'first' ? 1 : node.end.winner === 'second' ? 0 : 0.5
    const best = this.report?.pvs[0]?.score
    if (best) return expectedScore(best, this.report?.exact ?? false)
    return node?.score?.win_probability
  }

  /** The score without its sign: it stands on the side of whoever is ahead. */
  get scoreText(): string {
    const node = this.session.node
    const score = this.report?.pvs[0]?.score ?? node?.score
    return score && !node?.end ? scoreFor(this.session.game, score, 0).replace(/[+−-]/, '') : ''
  }

  /** Scores on squares where pieces are placed, arrows where pieces move. */
  get hints(): Hint[] {
    if (!settings.hints || !this.report) return []
    const { game, toMove, placing, pov } = this.session
    const pvs = placing ? this.report.pvs : this.pvs
    const sign = toMove === 0 ? 1 : -1
    const best = pvs[0]?.score
    if (!best) return []
    return pvs.flatMap((pv, index) => {
      if (!pv.first || (this.pointed !== null && this.pointed !== index)) return []
      const loss = sign * (best.win_probability - pv.score.win_probability)
      return {
        squares: clicksOf(game, pv.first),
        score: scoreFor(game, pv.score, pov),
        weight: Math.max(0.1, 1 - 5 * loss),
        best: placing ? loss < 0.001 : index === 0,
        number: pvs.length > 1 ? index + 1 : undefined,
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
        showError(error)
      },
    }, this.line() || undefined)
  }

  cancelReview() {
    this.stopReview?.()
    this.stopReview = null
    this.reviewing = null
  }
}

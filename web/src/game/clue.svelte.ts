/** A hint for the next move: first the square to look at, then the move. */

import { untrack } from 'svelte'
import { live } from '../api/live.svelte'
import type { MoveShape, Pv } from '../api/types'
import { squareOf, type Square } from '../boards/games'
import type { Hint } from '../boards/Hints.svelte'
import { clicksOf } from '../boards/moves'
import { moveText } from '../boards/notation'
import { t } from '../i18n'
import { announce, showError } from '../ui/messages.svelte'
import type { Session } from './session.svelte'

/** How long the analyst looks for the move, in milliseconds. */
const SEARCH_MS = 700

export class Clue {
  searching = $state(false)
  private best = $state.raw<Pv | null>(null)
  private isWhole = $state(false)
  private stop: (() => void) | null = null

  constructor(readonly session: Session) {
    $effect(() => {
      void session.viewed
      untrack(() => this.clear())
    })
    $effect(() => () => this.stop?.())
  }

  /** The first time the square, the second time the whole move. */
  ask() {
    if (this.searching || this.session.result) return
    if (!this.best) return this.search()
    this.isWhole = true
    announce(this.text)
  }

  clear() {
    this.stop?.()
    this.stop = null
    this.searching = false
    this.best = null
    this.isWhole = false
  }

  private search() {
    const { session } = this
    this.searching = true
    let found: Pv | null = null
    const finish = () => {
      clearTimeout(timer)
      this.clear()
      this.best = found
      if (this.text) announce(this.text)
    }
    const timer = setTimeout(finish, SEARCH_MS)
    this.stop = live.analyse(
      { target: { kind: 'node', game: session.id, node: session.viewed }, multipv: 1, threads: 1, hash_mb: 16 },
      {
        report: (report) => (found = report.pvs[0] ?? found),
        done: finish,
        failed: (error) => {
          clearTimeout(timer)
          this.clear()
          showError(error)
        },
      },
    )
  }

  private get shape(): MoveShape | null {
    return this.best?.first ?? null
  }

  /** What the hint says. */
  get text(): string {
    if (!this.best) return ''
    const [label = ''] = this.best.labels
    if (this.isWhole || this.shape?.kind === 'pass') return t().hint.move(moveText(this.session.game, label))
    const [square = ''] = this.squares
    return t().hint.look(square)
  }

  /** The squares to mark. */
  get squares(): Square[] {
    const { shape, session } = this
    if (!shape || shape.kind === 'pass') return []
    const clicks = clicksOf(session.game, shape)
    // Of a move that places a piece, the second hint shows what it flips.
    if (this.isWhole && shape.kind === 'place') return [...clicks, ...shape.flips.map((cell) => squareOf(session.game, cell))]
    return this.isWhole ? [] : clicks.slice(0, 1)
  }

  /** The arrows of the whole move. */
  get arrows(): Hint[] {
    const { shape } = this
    if (!this.isWhole || !shape || shape.kind === 'pass' || shape.kind === 'place') return []
    return [{ squares: clicksOf(this.session.game, shape), score: '', weight: 1, best: true }]
  }
}

/** What the archive knows about the position on the board. */

import { api } from '../api/client'
import type { Exploration } from '../api/types'
import type { Session } from '../game/session.svelte'
import { pathTo } from '../game/tree'

/** Plies that the archive indexes, and some more for the names of openings. */
export const MAX_PLIES = 40
const WAIT_MS = 120
/** Answers kept while the page is open. */
const MAX_KEPT = 500

export class Explorer {
  found = $state.raw<Exploration>()
  failed = $state(false)
  private answers = new Map<string, Exploration>()

  constructor(readonly session: Session) {
    $effect(() => this.follow())
  }

  private get path() {
    const { data, viewed } = this.session
    return data ? pathTo(data.nodes, viewed) : []
  }

  get isDeep(): boolean {
    return this.path.length > MAX_PLIES
  }

  /** The line to the position, as text of the API. */
  get line(): string {
    const info = this.session.data?.info
    if (!info) return ''
    const start = info.is_default_start ? 'start' : info.start
    const moves = this.path.slice(1, MAX_PLIES + 1).map((node) => node.move ?? '')
    return moves.length > 0 ? `${start} moves ${moves.join(' ')}` : start
  }

  /** Fetches what is not known; an answer that arrives after the next move is dropped. */
  private follow() {
    const { line } = this
    const info = this.session.data?.info
    if (!info || line === '' || !this.session.remote.mayAnalyse) return void (this.found = undefined)
    const known = this.answers.get(line)
    if (known) return void (this.found = known)
    let current = true
    const timer = setTimeout(() => {
      api.explore({ game: info.game, rules: info.rules, position: line }).then(
        (answer) => {
          if (this.answers.size >= MAX_KEPT) this.answers.clear()
          this.answers.set(line, answer)
          if (current) [this.found, this.failed] = [answer, false]
        },
        () => {
          if (current) [this.found, this.failed] = [undefined, true]
        },
      )
    }, WAIT_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }
}

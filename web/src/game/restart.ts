import { api } from '../api/client'
import { go } from '../router.svelte'
import { attempt } from '../ui/messages.svelte'
import type { Session } from './session.svelte'

/** Starts a new game with the same players (or with their sides swapped), rules, clock and start position. */
export async function restart(session: Session, swapped = false) {
  if (!session.data) return
  const { game, rules, clock, start, is_default_start } = session.data.info
  const players = swapped ? session.data.info.players.toReversed() : session.data.info.players
  const { paused, delay_ms } = session.data.state
  const position = is_default_start ? null : start
  const view = await attempt(() => api.create({ game, rules, players, clock, position, paused, delay_ms }))
  if (view) go(`game/${view.id}`)
}

import { api } from '../api/client'
import { go } from '../router.svelte'
import { attempt } from '../ui/messages.svelte'
import type { Session } from './session.svelte'

/** Starts a new game with the same players, rules, clock and start position. */
export async function restart(session: Session) {
  if (!session.data) return
  const { game, rules, players, clock, start, is_default_start } = session.data.info
  const { paused, delay_ms } = session.data.state
  const position = is_default_start ? null : start
  const view = await attempt(() => api.create({ game, rules, players, clock, position, paused, delay_ms }))
  if (view) go(`game/${view.id}`)
}

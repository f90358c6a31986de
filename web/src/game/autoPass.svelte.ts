/** Plays a pass that is the only legal move, with a notice. */

import { sideName } from '../boards/words'
import { t } from '../i18n'
import { settings } from '../settings.svelte'
import { notify } from '../ui/messages.svelte'
import type { Session } from './session.svelte'

/** Long enough to see the opponent's move and read why. */
const DELAY_MS = 1200

/** Call once, from a component. */
export function passAutomatically(session: Session, isBlocked: () => boolean) {
  $effect(() => {
    const { playable } = session
    const pass = playable.length === 1 && playable[0]?.shape.kind === 'pass' ? playable[0].move : undefined
    if (!settings.autoPass || !pass || !session.atCurrent || isBlocked()) return
    const text = t().tools.passedFor(sideName(session.game, session.toMove))
    const timer = setTimeout(() => {
      notify(text)
      void session.play(pass)
    }, DELAY_MS)
    return () => clearTimeout(timer)
  })
}

/** Premoves: the user's next move, chosen while the opponent thinks and played if it is legal then. */

import { piecesOf, type Side, type Square } from '../boards/games'
import { boardMove, type BoardMove } from '../boards/moves'
import { t } from '../i18n'
import { settings } from '../settings.svelte'
import { announce, notify } from '../ui/messages.svelte'
import { candidates, legalMove } from './candidates'
import type { Session } from './session.svelte'

export class Premove {
  clicks = $state.raw<Square[]>([])

  constructor(private readonly session: Session) {
    $effect(() => {
      this.follow()
    })
  }

  /** The side whose next move can be chosen: the user's, while the other is to move. */
  get side(): Side | null {
    const { session } = this
    const { human } = session
    const isWaiting = session.atCurrent && human !== null && session.toMove !== human && !session.data?.state.end && !session.data?.state.paused
    return settings.premoves && isWaiting ? human : null
  }

  get moves(): BoardMove[] {
    const { session, side } = this
    return side === null ? [] : candidates(session.game, piecesOf(session.game, session.node?.cells ?? ''), side)
  }

  choose(text: string) {
    this.clicks = text.split(' ')
    announce(t().tools.premove(this.clicks.join('–')))
  }

  cancel = () => (this.clicks = [])

  /** Plays the premove as soon as it is the user's turn. */
  private follow() {
    const { session, clicks } = this
    if (clicks.length === 0) return
    if (!session.atCurrent || session.data?.state.end) return this.cancel()
    if (session.toMove !== session.human || session.playable.length === 0) return
    this.clicks = []
    const move = legalMove(session.game, session.playable.map((legal) => boardMove(session.game, legal)), clicks)
    if (move) void session.play(move.text)
    else notify(t().tools.noPremove)
  }
}

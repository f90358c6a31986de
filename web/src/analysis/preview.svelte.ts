/** The board after some moves of a line, fetched when the user points at them. */

import { api } from '../api/client'
import type { GameName } from '../boards/games'

export class PreviewBoard {
  /** Empty if there is nothing to show. */
  cells = $state('')
  private wanted = ''
  private known = new Map<string, string>()

  show(game: GameName, rules: string, position: string, moves: string[]) {
    const text = `${position} moves ${moves.join(' ')}`
    this.wanted = text
    const known = this.known.get(text)
    if (known !== undefined) return void (this.cells = known)
    api.checkPosition(game, { position: text, rules: rules || undefined }).then(
      ({ cells }) => {
        this.known.set(text, cells ?? '')
        if (this.wanted === text) this.cells = cells ?? ''
      },
      // A preview is not worth an error message.
      () => {},
    )
  }

  hide() {
    this.wanted = ''
    this.cells = ''
  }
}

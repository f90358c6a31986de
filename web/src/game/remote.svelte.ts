/** A game between people on different machines: the user's seat, the opponent's presence, offers. */

import { api } from '../api/client'
import { live } from '../api/live.svelte'
import type { RemoteState, SeatView, TakebackAction } from '../api/types'
import type { Side } from '../boards/games'
import { about } from '../catalog.svelte'
import { t } from '../i18n'
import { announce, attempt, notify } from '../ui/messages.svelte'
import { play as playSound } from '../ui/sounds'
import { seatName } from './names'
import type { Session } from './session.svelte'
import type { GameData } from './tree'

const sideOf = (side: 'first' | 'second' | null | undefined): Side | null => (side == null ? null : side === 'first' ? 0 : 1)

/** Invites a remote player to a game; the user plays `side`. */
export async function invite(game: string, side: Side): Promise<SeatView> {
  const seat = await api.invite(game, side === 0 ? 'first' : 'second')
  // The open connection does not have the seat's cookie.
  live.reconnect()
  return seat
}

export class Remote {
  /** The user's place; null until it is known. */
  seat = $state.raw<SeatView | null>(null)
  private asked = false

  constructor(private readonly session: Session) {}

  /** Null if both sides play on this machine. */
  get state(): RemoteState | null {
    return this.session.data?.state.remote ?? null
  }

  get running(): boolean {
    return this.state?.running ?? false
  }

  /** The user's side; null for watchers. */
  get side(): Side | null {
    return sideOf(this.seat?.side)
  }

  get watching(): boolean {
    return this.state !== null && this.seat !== null && this.side === null
  }

  /** Not during the game, and not by guests: the owner's machine would have to work for them. */
  get mayAnalyse(): boolean {
    return !this.running && !this.isGuest
  }

  /** Guests have the game alone. */
  get isGuest(): boolean {
    return about()?.is_owner === false
  }

  get canTakeBack(): boolean {
    const { data } = this.session
    const own = this.side === 0 ? 'first' : 'second'
    const moved = [...(data?.nodes.values() ?? [])].some((node) => node.number?.by === own)
    return this.side !== null && moved && !this.state?.takeback
  }

  get drawOffer(): Side | null {
    return sideOf(this.state?.draw_offer)
  }

  get takebackRequest(): Side | null {
    return sideOf(this.state?.takeback)
  }

  nameOf(side: Side): string {
    return seatName(this.session.game, this.session.data?.info.players[side], side)
  }

  /** Follows a change of the game. */
  follow(before: GameData | null, data: GameData) {
    const [old, now] = [before?.state.remote, data.state.remote]
    if (!now) {
      this.asked = false
      this.seat = null
      return
    }
    if (!this.asked) {
      this.asked = true
      void this.load()
    }
    const offer = now.draw_offer !== old?.draw_offer ? sideOf(now.draw_offer) : null
    if (offer !== null && offer !== this.side) this.report(t().remote.drawAsked(this.nameOf(offer)))
    const request = now.takeback !== old?.takeback ? sideOf(now.takeback) : null
    if (request !== null && request !== this.side) this.report(t().remote.takebackAsked(this.nameOf(request)))
    if (before && data.nodes.size < before.nodes.size) this.report(t().remote.takenBack)
  }

  private report(text: string) {
    announce(text)
    playSound('pass')
  }

  private async load() {
    this.show(await attempt(() => api.seat(this.session.id)))
  }

  private show(seat: SeatView | undefined) {
    if (!seat) return
    this.seat = seat
    if (this.side !== null) this.session.flipped = this.side === 1
  }

  /** Creates links; earlier ones become invalid. */
  async invite(side: Side) {
    const isNew = this.state === null
    this.asked = true
    this.show(await attempt(() => invite(this.session.id, side)))
    if (!isNew) notify(t().remote.renewed)
  }

  withdraw = () => this.session.change(() => api.withdrawInvitation(this.session.id))
  takeback = (action: TakebackAction) => this.session.change(() => api.takeback(this.session.id, action))
  name = (name: string) => this.session.change(() => api.nameSeat(this.session.id, name))

  /** A link for others: on the address at which they reach the server. */
  linkTo(path: string): string {
    return new URL(path, about()?.shared_url ?? location.origin).href
  }

  /** The link for the opponent; only the server's owner has it. */
  get link(): string | null {
    const path = this.side === null ? undefined : this.seat?.links?.seats[this.side === 0 ? 1 : 0]
    return path === undefined ? null : this.linkTo(path)
  }

  get watchLink(): string | null {
    return this.seat?.links ? this.linkTo(this.seat.links.watch) : null
  }
}

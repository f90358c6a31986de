/** The game on the screen: synchronized with the server, navigated and played by the user. */

import { ApiError, api } from '../api/client'
import { live } from '../api/live.svelte'
import type { EndAction, GameChange, GameEnd, GameView, LegalMove, Node, NodeChange } from '../api/types'
import type { GameName, Side } from '../boards/games'
import { isPlacing } from '../boards/moves'
import { moveText } from '../boards/notation'
import { sideName } from '../boards/words'
import { t } from '../i18n'
import { play as playSound } from '../ui/sounds'
import { announce, attempt } from '../ui/messages.svelte'
import { endText } from './names'
import { Remote } from './remote.svelte'
import { lineFrom, merge, moverOf, pathTo, type GameData } from './tree'

export class Session {
  data = $state.raw<GameData | null>(null)
  /** The node on the screen; the current node of the game is `data.state.current`. */
  viewed = $state(0)
  missing = $state(false)
  /** Whether the game could not be fetched; it comes when the connection is back. */
  unreachable = $state(false)
  flipped = $state(false)
  /** When the clock was received. */
  clockAt = $state(0)

  /** The players on other machines, if there are any. */
  readonly remote = new Remote(this)

  private otherMoves = $state.raw(new Map<number, LegalMove[]>())
  private unwatch: () => void
  private queue: Promise<unknown> = Promise.resolve()
  /** Whether a move was sent and not yet confirmed. */
  private busy = false

  constructor(readonly id: string) {
    this.unwatch = live.watch(id, (view) => {
      if (view) this.receive(view)
      else this.missing = true
    })
    void this.load()
  }

  close() {
    this.unwatch()
  }

  /** Empty until the game has arrived. */
  get game(): GameName {
    return this.data?.info.game ?? ''
  }

  get node(): Node | undefined {
    return this.data?.nodes.get(this.viewed)
  }

  /** Whether the node on the screen is the current node. */
  get atCurrent(): boolean {
    return this.data?.state.current === this.viewed
  }

  get toMove(): Side {
    return this.node?.turn === 'second' ? 1 : 0
  }

  isEngine(side: Side): boolean {
    const player = this.data?.info.players[side]?.player
    return player !== undefined && player !== 'human'
  }

  /** The human's side in a game against an engine, or the user's in a remote game. */
  get human(): Side | null {
    if (this.remote.state) return this.remote.side
    const engines = ([0, 1] as const).filter((side) => this.isEngine(side))
    return engines.length === 1 ? (engines[0] === 0 ? 1 : 0) : null
  }

  /** Whether both players are engines. */
  get isEngineGame(): boolean {
    return this.isEngine(0) && this.isEngine(1)
  }

  /** The result at the node on the screen, if the game is over there. */
  get result(): GameEnd | null {
    const state = this.data?.state
    if (this.atCurrent && state?.end) return state.end
    if (state?.ended === this.viewed && state.result) return state.result
    return this.node?.end ?? null
  }

  /** Whether moves only place pieces: then scores are those of the side to move, as on the squares. */
  get placing(): boolean {
    const { moves } = this
    return moves.length > 0 ? isPlacing(moves.map((move) => move.shape)) : this.node?.touched.length === 1
  }

  /** The side for which scores are shown. */
  get pov(): Side {
    return this.placing ? this.toMove : 0
  }

  /** The legal moves at the node on the screen. */
  get moves(): LegalMove[] {
    if (!this.data) return []
    return this.atCurrent ? this.data.state.moves : (this.otherMoves.get(this.viewed) ?? [])
  }

  /** The moves that the user may play: none where an engine is to move. */
  get playable(): LegalMove[] {
    if (this.remote.running) return this.atCurrent && this.remote.side === this.toMove ? this.moves : []
    if (this.atCurrent && this.data?.state.thinking) return []
    if (this.atCurrent && this.isEngine(this.toMove) && !this.data?.state.paused) return []
    return this.moves
  }

  private async load() {
    try {
      this.receive(await api.game(this.id))
    } catch (error) {
      const isGone = error instanceof ApiError && ['game_not_found', 'game_deleted'].includes(error.body.code)
      if (isGone) this.missing = true
      else this.unreachable = true
    }
  }

  receive(view: GameView) {
    this.missing = false
    this.unreachable = false
    const before = this.data
    const data = merge(before, view)
    if (!data) return void this.load()
    if (data === before) return
    this.data = data
    this.clockAt = performance.now()
    const follow = !before || this.viewed === before.state.current || !data.nodes.has(this.viewed)
    if (!before) this.flipped = this.human === 1
    if (follow) this.viewed = data.state.current
    this.remote.follow(before, data)
    // The WebSocket may confirm a move before its response.
    if (before?.state.current !== data.state.current) this.busy = false
    if (before && before.state.current !== data.state.current) this.announceMove(before, data)
    else if (before && !before.state.end && data.state.end) this.announceEnd(data)
  }

  /** Announces a new move, with a sound. */
  private announceMove(before: GameData, data: GameData) {
    const node = data.nodes.get(data.state.current)
    const isNew = node && !before.nodes.has(node.id) && node.parent === before.state.current
    if (!node || !isNew) return
    const side = moverOf(data.nodes, node)
    const label = node.label === 'pass' ? t().play.pass : moveText(this.game, node.label ?? '')
    announce(t().play.moved(sideName(this.game, side), label))
    const old = before.nodes.get(before.state.current)
    const isCapture = sum(node.pieces) < sum(old?.pieces ?? [])
    if (data.state.end) playSound(isCapture ? 'capture' : 'move')
    else playSound(node.check != null ? 'check' : node.label === 'pass' ? 'pass' : isCapture ? 'capture' : 'move')
    if (data.state.end) this.announceEnd(data)
  }

  private announceEnd(data: GameData) {
    if (!data.state.end) return
    announce(endText(this.game, data.state.end))
    const winner = data.state.end.winner
    const isLost = this.human !== null && winner !== null && winner !== undefined && (winner === 'first') !== (this.human === 0)
    playSound(isLost ? 'lost' : 'end')
  }

  /** Sends a request that changes the game; one at a time. */
  change(request: () => Promise<GameView>): Promise<boolean> {
    const next = this.queue.then(async () => {
      const view = await attempt(request)
      if (view) this.receive(view)
      return view !== undefined
    })
    this.queue = next
    return next
  }

  /** Plays a move; returns whether it was legal. */
  async play(move: string): Promise<boolean> {
    // Ignores double clicks.
    if (this.busy) return false
    this.busy = true
    const done = await this.sendMove(move)
    this.busy = false
    return done
  }

  private async sendMove(move: string): Promise<boolean> {
    const from = this.viewed
    const done = await this.change(() => api.move(this.id, from, move))
    if (done && this.data) this.viewed = this.data.state.current
    return done
  }

  /** Plays a line from the node on the screen, as far as its moves are legal. */
  async playLine(moves: string[]) {
    for (const [ply, move] of moves.entries()) {
      // An engine may have to answer before the next move.
      if (ply > 0 && !this.playable.some((legal) => legal.move === move)) return
      const before = this.viewed
      await this.play(move)
      if (this.viewed === before) return
    }
  }

  get canUndo(): boolean {
    return this.remote.running ? this.remote.canTakeBack : this.data?.state.undo != null
  }
  get canRedo(): boolean {
    return this.data?.state.redo != null && !this.remote.running
  }
  /** Whether an engine may be asked for the next move. */
  get canStep(): boolean {
    const state = this.data?.state
    return state !== undefined && !state.end && !state.thinking && this.atCurrent && !this.remote.running
  }
  /** Whether there is something to pause. */
  get canPause(): boolean {
    const state = this.data?.state
    return state !== undefined && !state.end && (this.isEngineGame || state.paused)
  }

  undo = async () => {
    if (!this.canUndo) return
    if (this.remote.running) await this.remote.takeback('request')
    else await this.change(() => api.undo(this.id)).then(() => this.toCurrent())
  }
  redo = async () => {
    if (this.canRedo) await this.change(() => api.redo(this.id)).then(() => this.toCurrent())
  }
  step = async (player?: string) => {
    if (this.canStep) await this.change(() => api.step(this.id, player))
  }
  end = (action: EndAction, side?: Side) =>
    this.change(() => api.end(this.id, action, side === undefined ? undefined : side === 0 ? 'first' : 'second'))
  set = (change: GameChange) => this.change(() => api.change(this.id, change))
  annotate = (node: number, change: NodeChange) => this.change(() => api.annotate(this.id, node, change))
  removeNode = (node: number) => this.change(() => api.removeNode(this.id, node))
  promote = (node: number) => this.change(() => api.promote(this.id, node))

  /** Makes the node on the screen the current node. */
  playFromHere = () => this.change(() => api.goTo(this.id, this.viewed))

  view(node: number) {
    if (!this.data?.nodes.has(node)) return
    this.viewed = node
    void this.fetchMoves(node)
  }

  /** Fetches the moves of a node that is not the current one, once. */
  private async fetchMoves(node: number) {
    if (this.data?.state.current === node || this.otherMoves.has(node)) return
    const found = await api.moves(this.id, node).catch(() => null)
    if (found) this.otherMoves = new Map(this.otherMoves).set(node, found.moves)
  }

  toCurrent() {
    if (this.data) this.viewed = this.data.state.current
  }

  /** The line through the node on the screen: through the current node if it is on the same line. */
  get line(): Node[] {
    if (!this.data) return []
    const { nodes, state } = this.data
    const toCurrent = pathTo(nodes, state.current)
    const at = toCurrent.findIndex((node) => node.id === this.viewed)
    if (at >= 0) return [...toCurrent, ...lineFrom(nodes, state.current).slice(1)]
    return [...pathTo(nodes, this.viewed), ...lineFrom(nodes, this.viewed).slice(1)]
  }

  go(by: number) {
    const line = this.line
    const at = line.findIndex((node) => node.id === this.viewed)
    const to = line[Math.min(line.length - 1, Math.max(0, at + by))]
    if (to) this.view(to.id)
  }
  toStart = () => this.view(0)
  toEnd = () => this.view(this.line.at(-1)?.id ?? 0)
}

function sum(numbers: number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}

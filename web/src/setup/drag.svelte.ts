/** Dragging in the board editor: pieces on the board, from the palette, and off the board. */

import type { Piece, Square } from '../boards/games'

/** The distance in pixels from which a press is a drag. */
const THRESHOLD = 6

function squareAt(event: PointerEvent): Square | undefined {
  return document.elementFromPoint(event.clientX, event.clientY)?.closest<SVGElement>('[data-square]')?.dataset.square
}

export class SetupDrag {
  /** The piece that is dragged, and where. */
  held = $state.raw<{ piece: Piece; x: number; y: number } | null>(null)
  private start: { piece: Piece; from: Square | undefined; x: number; y: number } | null = null
  /** The click after a drag is not a press. */
  private isClickBlocked = false

  constructor(private readonly pieces: Map<Square, Piece>) {}

  /** A press on the board. */
  grab = (event: PointerEvent) => {
    const from = squareAt(event)
    const piece = from ? this.pieces.get(from) : undefined
    this.begin(event, piece, from)
  }

  /** A press on a piece of the palette. */
  take = (event: PointerEvent, piece: Piece) => this.begin(event, piece, undefined)

  private begin(event: PointerEvent, piece: Piece | undefined, from: Square | undefined) {
    this.isClickBlocked = false
    if (event.button !== 0 || !piece) return
    // A touch stays with the element where it began, unless it is released.
    const target = event.target as Element
    if (target.hasPointerCapture(event.pointerId)) target.releasePointerCapture(event.pointerId)
    this.start = { piece, from, x: event.clientX, y: event.clientY }
  }

  move = (event: PointerEvent) => {
    const { start } = this
    if (!start) return
    const distance = Math.hypot(event.clientX - start.x, event.clientY - start.y)
    if (this.held || distance >= THRESHOLD) this.held = { piece: start.piece, x: event.clientX, y: event.clientY }
  }

  drop = (event: PointerEvent) => {
    const { start, held } = this
    this.cancel()
    if (!start || !held) return
    this.isClickBlocked = true
    const to = squareAt(event)
    if (to === start.from) return
    if (start.from) this.pieces.delete(start.from)
    if (to) this.pieces.set(to, start.piece)
  }

  cancel = () => {
    this.start = null
    this.held = null
  }

  /** Whether a click is the end of a drag. */
  get endsDrag(): boolean {
    const ends = this.isClickBlocked
    this.isClickBlocked = false
    return ends
  }
}

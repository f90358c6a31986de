/**
 * The user's own arrows and circles: drawn with the right button, kept in the comment of the node as PGN viewers do
 * (`[%csl Ge4]`, `[%cal Re2e4]`).
 */

import type { Node } from '../api/types'
import type { Mark } from '../boards/Marks.svelte'
import type { Square } from '../boards/games'
import { marksIn, toggle, withMarks } from './comments'
import type { Session } from './session.svelte'

function colourOf(event: MouseEvent | KeyboardEvent): Mark['colour'] {
  return event.altKey ? 'B' : event.shiftKey ? 'R' : 'G'
}

function squareAt(x: number, y: number): Square | undefined {
  const element = document.elementFromPoint(x, y)
  return element?.closest<SVGElement>('[data-square]')?.dataset.square
}

export class OwnMarks {
  /** Those that are not saved: in a remote game the comments belong to both players. */
  private unsaved = $state.raw(new Map<number, Mark[]>())
  private from: Square | undefined

  constructor(private readonly session: Session) {}

  get list(): Mark[] {
    const { session } = this
    return this.unsaved.get(session.viewed) ?? marksIn(session.node?.comment ?? '')
  }

  private set(marks: Mark[]) {
    const { session } = this
    const { node } = session
    if (!node) return
    this.unsaved = new Map(this.unsaved).set(node.id, marks)
    if (session.remote.mayAnalyse) void this.save(node, marks)
  }

  private async save(node: Node, marks: Mark[]) {
    const done = await this.session.annotate(node.id, { comment: withMarks(node.comment, marks) })
    const left = new Map(this.unsaved)
    // Later marks are not saved yet.
    if (done && left.get(node.id) === marks) left.delete(node.id)
    this.unsaved = left
  }

  clear = () => this.set([])

  // The right button draws; the board's own handlers use the left one.
  down = (event: PointerEvent) => {
    if (event.button === 2) this.from = squareAt(event.clientX, event.clientY)
  }
  up = (event: PointerEvent) => {
    const { from } = this
    if (event.button !== 2 || !from) return
    this.from = undefined
    const to = squareAt(event.clientX, event.clientY)
    if (to) this.set(toggle(this.list, { colour: colourOf(event), from, to: to === from ? undefined : to }))
  }
  menu = (event: MouseEvent) => {
    if (squareAt(event.clientX, event.clientY)) event.preventDefault()
  }
  key = (event: KeyboardEvent) => {
    const square = (event.target as Element | null)?.closest<SVGElement>('[data-square]')?.dataset.square
    if (event.key.toLowerCase() !== 'x' || event.ctrlKey || event.metaKey || !square) return
    this.set(toggle(this.list, { colour: colourOf(event), from: square, to: undefined }))
    event.preventDefault()
  }
}

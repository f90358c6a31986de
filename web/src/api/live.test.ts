import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ServerMessage } from './types'

class FakeSocket {
  static readonly OPEN = 1
  static created: FakeSocket[] = []
  readyState = 0
  sent: { type: string; request?: number }[] = []
  onopen?: () => void
  onclose?: () => void
  onmessage?: (event: { data: string }) => void
  constructor(readonly url: string) {
    FakeSocket.created.push(this)
  }
  send(text: string) {
    this.sent.push(JSON.parse(text))
  }
  open() {
    this.readyState = 1
    this.onopen?.()
  }
  receive(message: Partial<ServerMessage>) {
    this.onmessage?.({ data: JSON.stringify(message) })
  }
}

vi.stubGlobal('WebSocket', FakeSocket)
vi.stubGlobal('location', { protocol: 'http:', host: 'here' })
vi.useFakeTimers()
const { Live, connection } = await import('./live.svelte')

const target = { kind: 'node' as const, game: 'g', node: 0 }
const request = { target, multipv: 1, threads: 1, hash_mb: 16 }

describe('the live connection', () => {
  beforeEach(() => (FakeSocket.created.length = 0))

  it('repeats subscriptions and searches after it was lost', () => {
    const live = new Live()
    live.watch('g', () => {})
    const stop = live.analyse(request, { done: () => {}, failed: () => {} })
    const [first] = FakeSocket.created
    first?.open()
    expect(first?.url).toBe('ws://here/api/ws')
    expect(first?.sent.map((message) => message.type)).toEqual(['watch', 'analyse'])
    first?.onclose?.()
    expect(connection.lost).toBe(true)
    vi.runOnlyPendingTimers()
    const second = FakeSocket.created[1]
    second?.open()
    expect(connection.lost).toBe(false)
    expect(second?.sent.map((message) => message.type)).toEqual(['watch', 'analyse'])
    stop()
    expect(second?.sent.at(-1)?.type).toBe('stop')
  })

  it('dispatches messages to their search until it is done', () => {
    const live = new Live()
    const reports: number[] = []
    let reason = ''
    live.analyse(request, {
      report: (report) => reports.push(report.depth),
      done: (why) => (reason = why),
      failed: () => {},
    })
    const [socket] = FakeSocket.created
    socket?.open()
    const number = socket?.sent[0]?.request ?? 0
    const report = { depth: 7, seldepth: 9, nodes: 1, nps: 1, time_ms: 1, exact: false, pvs: [] }
    socket?.receive({ type: 'analysis', request: number, report })
    socket?.receive({ type: 'analysis', request: number + 1, report })
    socket?.receive({ type: 'done', request: number, reason: 'complete' })
    socket?.receive({ type: 'analysis', request: number, report })
    expect(reports).toEqual([7])
    expect(reason).toBe('complete')
  })
})

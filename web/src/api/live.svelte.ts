/** The WebSocket: live updates of games and jobs, analysis and review. */

import { ApiError } from './client'
import type { AnalysisReport, AnalysisTarget, ClientMessage, ComparisonView, JobSummary, ServerMessage } from './types'

type GameMessage = Extract<ServerMessage, { type: 'game' }>
type DoneReason = Extract<ServerMessage, { type: 'done' }>['reason']

export interface AnalysisRequest {
  target: AnalysisTarget
  multipv: number
  threads: number
  hash_mb: number
  /** The analyst's player line; the game's usual one if left out. */
  player?: string
}

export interface SearchHandlers {
  report?: (report: AnalysisReport) => void
  progress?: (done: number, total: number) => void
  comparison?: (comparison: ComparisonView) => void
  queued?: () => void
  done: (reason: DoneReason) => void
  failed: (error: ApiError) => void
}

const RETRY_MS = 1500

/** Whether the connection is lost and being re-established. */
export const connection = $state({ lost: false })

/** Reconnects after a lost connection and repeats its subscriptions and searches. */
export class Live {
  private socket: WebSocket | null = null
  private games = new Map<string, (message: GameMessage['view'] | null) => void>()
  private searches = new Map<number, { message: ClientMessage; handlers: SearchHandlers }>()
  private jobs = new Set<(job: JobSummary | string) => void>()
  private nextRequest = 1

  /** Subscribes to a game; the handler gets null if it is deleted. */
  watch(game: string, handler: (view: GameMessage['view'] | null) => void): () => void {
    this.games.set(game, handler)
    this.send({ type: 'watch', game })
    return () => {
      this.games.delete(game)
      this.send({ type: 'unwatch', game })
    }
  }

  /** Subscribes to all jobs; the handler gets the id of a deleted job. */
  watchJobs(handler: (job: JobSummary | string) => void): () => void {
    this.jobs.add(handler)
    this.send({ type: 'watch_jobs' })
    return () => {
      this.jobs.delete(handler)
      if (this.jobs.size === 0) this.send({ type: 'unwatch_jobs' })
    }
  }

  analyse(request: AnalysisRequest, handlers: SearchHandlers): () => void {
    return this.search((id) => ({ type: 'analyse', request: id, ...request }), handlers)
  }

  review(game: string, move_ms: number, handlers: SearchHandlers, player?: string): () => void {
    return this.search((request) => ({ type: 'review', request, game, move_ms, player }), handlers)
  }

  /** Compares two players along a game. */
  compare(game: string, players: [string, string], move_ms: number, handlers: SearchHandlers): () => void {
    return this.search((request) => ({ type: 'compare', request, game, players, move_ms }), handlers)
  }

  private search(message: (request: number) => ClientMessage, handlers: SearchHandlers): () => void {
    const request = this.nextRequest++
    this.searches.set(request, { message: message(request), handlers })
    this.send(message(request))
    return () => {
      if (this.searches.delete(request)) this.send({ type: 'stop', request })
    }
  }

  /** Opens a new connection at once: it has the cookies of now, such as a new seat. */
  reconnect() {
    const { socket } = this
    if (!socket) return
    socket.onclose = null
    socket.onmessage = null
    socket.close()
    this.socket = null
    this.connect()
  }

  private send(message: ClientMessage) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message))
    else this.connect()
  }

  private connect() {
    if (this.socket) return
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const socket = new WebSocket(`${scheme}://${location.host}/api/ws`)
    this.socket = socket
    socket.onopen = () => {
      connection.lost = false
      for (const game of this.games.keys()) this.send({ type: 'watch', game })
      for (const { message } of this.searches.values()) this.send(message)
      if (this.jobs.size > 0) this.send({ type: 'watch_jobs' })
    }
    socket.onmessage = (event) => this.receive(JSON.parse(String(event.data)) as ServerMessage)
    socket.onclose = () => {
      this.socket = null
      if (this.games.size + this.searches.size + this.jobs.size === 0) return
      connection.lost = true
      setTimeout(() => this.connect(), RETRY_MS)
    }
  }

  private receive(message: ServerMessage) {
    switch (message.type) {
      case 'game':
        return this.games.get(message.view.id)?.(message.view)
      case 'game_deleted':
        return this.games.get(message.game)?.(null)
      case 'job':
        return this.jobs.forEach((handler) => handler(message.job))
      case 'job_deleted':
        return this.jobs.forEach((handler) => handler(message.job))
      case 'analysis':
        return this.searches.get(message.request)?.handlers.report?.(message.report)
      case 'review_progress':
        return this.searches.get(message.request)?.handlers.progress?.(message.done, message.total)
      case 'comparison':
        return this.searches.get(message.request)?.handlers.comparison?.(message.comparison)
      case 'queued':
        return this.searches.get(message.request)?.handlers.queued?.()
      case 'done': {
        const search = this.searches.get(message.request)
        this.searches.delete(message.request)
        return search?.handlers.done(message.reason)
      }
      case 'error': {
        if (message.request == null) return console.warn(message.error.message)
        const search = this.searches.get(message.request)
        this.searches.delete(message.request)
        return search?.handlers.failed(new ApiError(message.error))
      }
    }
  }
}

export const live = new Live()

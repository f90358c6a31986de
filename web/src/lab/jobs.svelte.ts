/** The jobs of the server, updated live. */

import { api } from '../api/client'
import { live } from '../api/live.svelte'
import type { JobStatus, JobSummary } from '../api/types'
import { go } from '../router.svelte'
import { attempt, showError } from '../ui/messages.svelte'

/** Starts a job and shows it. */
export async function startJob(start: () => Promise<JobSummary>) {
  const job = await attempt(start)
  if (job) go(`lab/job/${encodeURIComponent(job.id)}`)
}

export class Jobs {
  list = $state.raw<JobSummary[]>()

  constructor() {
    api.jobs().then((jobs) => {
      this.list ??= []
      jobs.forEach((job) => this.add(job))
    }, showError)
    $effect(() => live.watchJobs((job) => this.receive(job)))
  }

  private receive(job: JobSummary | string) {
    const id = typeof job === 'string' ? job : job.id
    const others = (this.list ?? []).filter((known) => known.id !== id)
    const all = typeof job === 'string' ? others : [...others, job]
    this.list = all.sort((a, b) => b.created - a.created)
  }

  /** Adds a job that is not listed yet; updates of known ones come over the WebSocket. */
  private add(job: JobSummary) {
    if (!this.list?.some((known) => known.id === job.id)) this.receive(job)
  }

  private async change(request: () => Promise<JobSummary>) {
    const job = await attempt(request)
    if (job) this.add(job)
  }

  stop = (id: string) => this.change(() => api.stopJob(id))
  resume = (id: string) => this.change(() => api.resumeJob(id))
  async remove(id: string): Promise<boolean> {
    const done = await attempt(() => api.removeJob(id))
    if (done) this.receive(id)
    return done !== undefined
  }
}

export function isActive(status: JobStatus): boolean {
  return status === 'running' || status === 'waiting'
}

/** The style of a status tag. */
export const STATUS_TAG: Record<JobStatus, string> = {
  new: '',
  waiting: 'warn',
  running: 'good',
  interrupted: 'warn',
  stopped: '',
  finished: 'good',
  failed: 'bad',
}

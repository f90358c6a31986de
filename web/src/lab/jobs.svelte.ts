/** All jobs of the server, as they change. */

import { api } from '../api/client'
import { live } from '../api/live.svelte'
import type { JobStatus, JobSummary } from '../api/types'
import { attempt, complain } from '../ui/messages.svelte'

export class Jobs {
  list = $state.raw<JobSummary[]>()

  constructor() {
    api.jobs().then((jobs) => (this.list = jobs), complain)
    $effect(() => live.watchJobs((job) => this.receive(job)))
  }

  private receive(job: JobSummary | string) {
    const old = this.list ?? []
    if (typeof job === 'string') this.list = old.filter((known) => known.id !== job)
    else if (old.some((known) => known.id === job.id)) {
      this.list = old.map((known) => (known.id === job.id ? job : known))
    } else this.list = [job, ...old]
  }

  private async change(request: () => Promise<JobSummary>) {
    const job = await attempt(request)
    if (job) this.receive(job)
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

/** The look of a status. */
export const STATUS_TAG: Record<JobStatus, string> = {
  new: '',
  waiting: 'warn',
  running: 'good',
  interrupted: 'warn',
  stopped: '',
  finished: 'good',
  failed: 'bad',
}

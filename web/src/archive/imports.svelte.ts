/** Imports into the archive: sends files, starts the import and follows it. */

import { api } from '../api/client'
import type { ArchiveImport } from '../api/types'
import { go } from '../router.svelte'
import { attempt, showError } from '../ui/messages.svelte'

let all = $state.raw<ArchiveImport[]>([])
/** The file that is being sent. */
let sending = $state('')
/** Changes when an import has ended, so that lists are fetched again. */
let ended = $state(0)
let timer: ReturnType<typeof setTimeout> | undefined

const POLL_MS = 500

export function imports(): ArchiveImport[] {
  return all
}

export function sendingFile(): string {
  return sending
}

export function endedImports(): number {
  return ended
}

function isActive(one: ArchiveImport): boolean {
  return one.state.kind === 'waiting' || one.state.kind === 'running'
}

/** Fetches the imports, and again while one is running. */
export async function refreshImports() {
  clearTimeout(timer)
  const before = all.filter(isActive).length
  try {
    all = await api.imports()
  } catch (error) {
    return showError(error as Error)
  }
  const active = all.filter(isActive).length
  if (active < before) ended++
  if (active > 0) timer = setTimeout(() => void refreshImports(), POLL_MS)
}

/** Sends files and imports their games. */
export async function importFiles(files: File[]) {
  if (files.length === 0) return
  go('library/archive')
  const begun = await attempt(() => api.beginImport())
  if (!begun) return
  for (const file of files) {
    sending = file.name
    const sent = await attempt(() => api.uploadImport(begun.id, file.name, file))
    if (!sent) {
      sending = ''
      await attempt(() => api.removeImport(begun.id))
      return
    }
  }
  sending = ''
  const started = await attempt(() => api.startImport(begun.id))
  if (started) all = [...all.filter((one) => one.id !== started.id), started]
  await refreshImports()
}

export async function removeImport(id: string) {
  await attempt(() => api.removeImport(id))
  await refreshImports()
}

/** Larger files are too large for the library. */
const LARGE_BYTES = 24e6

/** Whether files belong into the archive: several, large ones, or names for others. */
export function forArchive(files: File[]): boolean {
  return files.length > 1 || files.some((file) => file.size > LARGE_BYTES || /\.(jou|trn)$/i.test(file.name))
}

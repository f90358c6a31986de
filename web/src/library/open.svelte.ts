/** Imports files and texts into the library; from a file of several games the user chooses. */

import { api } from '../api/client'
import type { Imported } from '../api/types'
import { forArchive, importFiles } from '../archive/imports.svelte'
import { addPlayerFile, isPlayerFile } from '../lab/playerFiles.svelte'
import { go } from '../router.svelte'
import { attempt } from '../ui/messages.svelte'

interface Waiting {
  content: Blob | string
  name: string | undefined
  found: Imported
}

let waiting = $state.raw<Waiting | null>(null)

/** A file of several games to choose from. */
export function toChoose(): Waiting | null {
  return waiting
}

export function chooseNone() {
  waiting = null
}

/** Imports a file or text; returns whether it could be read. */
export async function openContent(
  content: Blob | string,
  how: { name?: string; game?: string },
): Promise<boolean> {
  const found = await attempt(() => api.import(content, how))
  if (!found) return false
  const only = found.created[0]
  if (only) go(`game/${only}`)
  else waiting = { content, name: how.name, found }
  return true
}

/** Imports a file; one with a player is kept and shown among the player files. */
export async function openFile(file: File): Promise<boolean> {
  if (forArchive([file])) {
    await importFiles([file])
    return true
  }
  if (!isPlayerFile(file.name)) return openContent(file, { name: file.name })
  const added = await addPlayerFile(file)
  if (added) go('lab/players', { file: added.name })
  return added !== undefined
}

/** Imports games of the waiting file, by index, or all. */
export async function choose(pick: number[] | 'all') {
  if (!waiting) return
  const { content, name, found } = waiting
  const text = pick === 'all' ? pick : pick.join(',')
  const imported = await attempt(() => api.import(content, { name, game: found.game, format: found.format, pick: text }))
  if (!imported) return
  waiting = null
  if (imported.created.length === 1) go(`game/${imported.created[0]}`)
  else go('library')
}

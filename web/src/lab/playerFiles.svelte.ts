/** The player files of the server: evolved genomes, weights and networks that the user brought. */

import { api } from '../api/client'
import type { PlayerFile } from '../api/types'
import { attempt, showError } from '../ui/messages.svelte'

const EXTENSIONS = ['evl', 'genes', 'weights', 'safetensors', 'keras', 'h5']

/** For the file chooser. */
export const ACCEPT = EXTENSIONS.map((extension) => `.${extension}`).join(',')

let files = $state.raw<PlayerFile[]>()
let loading = false

/** All files, newest first; undefined until `loadPlayerFiles` is done. */
export function playerFiles(): PlayerFile[] | undefined {
  return files
}

/** Fetches the files, once. */
export function loadPlayerFiles() {
  if (files || loading) return
  loading = true
  api.playerFiles().then((found) => (files = found), showError).finally(() => (loading = false))
}

/** Whether a file's name is that of a player file. */
export function isPlayerFile(name: string): boolean {
  return EXTENSIONS.includes(name.split('.').at(-1)?.toLowerCase() ?? '')
}

/** Uploads a file, which the server checks. */
export async function addPlayerFile(file: File): Promise<PlayerFile | undefined> {
  const added = await attempt(() => api.addPlayerFile(file.name, file))
  if (added) files = [added, ...(files ?? []).filter((known) => known.name !== added.name)]
  return added
}

export async function removePlayerFile(name: string) {
  const done = await attempt(() => api.removePlayerFile(name))
  if (done) files = files?.filter((known) => known.name !== name)
}

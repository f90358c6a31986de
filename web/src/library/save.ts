/** Downloads of files. */

import { api } from '../api/client'
import { t } from '../i18n'
import { attempt, notify } from '../ui/messages.svelte'

/** Lets the browser download a file. */
export function download(content: Blob, name: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Downloads a game; reports the replacements of names that the format cannot represent. */
export async function saveGame(id: string, format: string, companion?: string) {
  const file = await attempt(() => api.exportFile(id, format, companion))
  if (!file) return
  download(file.content, file.name)
  for (const [from, to] of file.renamed) notify(t().file.renamed(from, to))
}

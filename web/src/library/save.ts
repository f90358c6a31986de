/** Saves files from the page to the person's disk. */

import { api } from '../api/client'
import { t } from '../i18n'
import { attempt, notify } from '../ui/messages.svelte'

/** Hands a file over to the browser. */
export function handOver(content: Blob, name: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Saves a game; says what became of names that the format cannot hold. */
export async function saveGame(id: string, format: string, beside?: string) {
  const file = await attempt(() => api.exportFile(id, format, beside))
  if (!file) return
  handOver(file.content, file.name)
  for (const [from, to] of file.renamed) notify(t().file.renamed(from, to))
}

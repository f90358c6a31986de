/** What the page tells: short notices at the edge, and words for screen readers. */

import type { ErrorBody } from '../api/types'
import { errorText } from '../i18n'

interface Notice {
  id: number
  text: string
  bad: boolean
}

let next = 1
export const notices = $state<Notice[]>([])

let spoken = $state('')

export function notify(text: string, bad = false) {
  const id = next++
  notices.push({ id, text, bad })
  setTimeout(() => dismiss(id), bad ? 9000 : 4000)
}

export function dismiss(id: number) {
  const at = notices.findIndex((notice) => notice.id === id)
  if (at >= 0) notices.splice(at, 1)
}

/** Tells what went wrong. */
export function complain(error: ErrorBody | Error) {
  notify(errorText(error), true)
}

/** Runs what may fail; a failure is told, and nothing is returned. */
export async function attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action()
  } catch (error) {
    complain(error instanceof Error ? error : new Error(String(error)))
    return undefined
  }
}

export function announce(text: string) {
  // The same words twice are read twice only if the text changes.
  spoken = spoken === text ? `${text}\u00a0` : text
}

export function announcement(): string {
  return spoken
}

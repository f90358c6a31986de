/** Notices at the edge of the page, and announcements for screen readers. */

import type { ErrorBody } from '../api/types'
import { errorText } from '../i18n'

interface Notice {
  id: number
  text: string
  bad: boolean
}

let next = 1
export const notices = $state<Notice[]>([])

/** Open dialogs show the notices themselves. */
export const dialogs = $state({ open: 0 })

let spoken = $state('')

export function notify(text: string, bad = false) {
  // A repeated notice replaces the earlier one.
  for (const old of notices.filter((notice) => notice.text === text)) dismiss(old.id)
  const id = next++
  notices.push({ id, text, bad })
  setTimeout(() => dismiss(id), bad ? 9000 : 4000)
}

export function dismiss(id: number) {
  const at = notices.findIndex((notice) => notice.id === id)
  if (at >= 0) notices.splice(at, 1)
}

/** Shows an error as a notice. */
export function showError(error: ErrorBody | Error) {
  notify(errorText(error), true)
}

/** Runs an action; an error is shown, and undefined returned. */
export async function attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action()
  } catch (error) {
    showError(error instanceof Error ? error : new Error(String(error)))
    return undefined
  }
}

export function announce(text: string) {
  // Screen readers announce a repeated text only if it changes.
  spoken = spoken === text ? `${text}\u00a0` : text
}

export function announcement(): string {
  return spoken
}

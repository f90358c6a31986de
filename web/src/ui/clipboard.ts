/** Copies to the clipboard, also where the browser offers no `navigator.clipboard` (plain HTTP in a network). */

import { t } from '../i18n'
import { notify } from './messages.svelte'

/** Copies a text and says so; where that is impossible, says that. */
export async function copyText(text: string) {
  const done = (await write(text)) || copySelected(text)
  notify(done ? t().copied : t().notCopied, !done)
}

/** Whether images can be copied. */
export function canCopyImages(): boolean {
  return typeof ClipboardItem !== 'undefined' && typeof navigator.clipboard?.write === 'function'
}

async function write(text: string): Promise<boolean> {
  try {
    if (!navigator.clipboard) return false
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Copies by selecting the text in a field; it must be in the dialog, if one is open, to be selectable. */
function copySelected(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'sr-only'
  const parent = document.querySelector('dialog[open]') ?? document.body
  parent.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  return done
}

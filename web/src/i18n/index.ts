/** The words of the page. A key that one language lacks does not compile. */

import { settings } from '../settings.svelte'
import { en } from './en'
import { es } from './es'
import { esSaid } from './said.es'

const LANGUAGES = { en, es }

/** The words in the language that the person chose. */
export function t(): typeof en {
  return LANGUAGES[settings.language]
}

/** Fixed text of the program, which speaks English, in the language that the person chose. */
export function said(text: string): string {
  return settings.language === 'es' ? (esSaid[text] ?? text) : text
}

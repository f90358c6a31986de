/** The words of the page. A key that one language lacks does not compile. */

import { settings } from '../settings.svelte'
import { en } from './en'
import { esErrors } from './errors.es'
import { es } from './es'
import { compile, rephrase } from './patterns'
import { esSaid } from './said.es'

const LANGUAGES = { en, es }
const ES_ERRORS = compile(esErrors)

/** The words in the language that the person chose. */
export function t(): typeof en {
  return LANGUAGES[settings.language]
}

/** What the program says, which speaks English, in the language that the person chose. */
export function said(text: string): string {
  return settings.language === 'es' ? (esSaid[text] ?? rephrase(text, ES_ERRORS)) : text
}

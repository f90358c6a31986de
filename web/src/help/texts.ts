/** The Help texts: docs/help, one folder a language, loaded when Help is opened. */

import type { Language } from '../api/types'

const files = import.meta.glob<string>('../../../docs/help/*/*.md', { import: 'default' })

/** The HTML of a text; nothing if there is none, as for games from elsewhere. */
export async function helpText(language: Language, name: string): Promise<string> {
  return (await files[`../../../docs/help/${language}/${name}.md`]?.()) ?? ''
}

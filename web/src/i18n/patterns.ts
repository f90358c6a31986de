/** Sentences, some with something in the middle, and how to say them otherwise. */

interface Pattern {
  match: RegExp
  say: string
}

interface Phrases {
  fixed: Map<string, string>
  patterns: Pattern[]
}

/** Phrases from sentences in which `{}` stands for anything; the longer ones are tried first. */
export function compile(sentences: [from: string, to: string][]): Phrases {
  const isFixed = ([from]: [string, string]) => !from.includes('{}')
  const length = ([from]: [string, string]) => from.replaceAll('{}', '').length
  const patterns = sentences
    .filter((sentence) => !isFixed(sentence))
    .toSorted((a, b) => length(b) - length(a))
    .map(([from, to]) => ({ match: pattern(from), say: to }))
  return { fixed: new Map(sentences.filter(isFixed)), patterns }
}

function pattern(sentence: string): RegExp {
  const parts = sentence.split('{}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('([^]*?)')}$`)
}

/** Says a text by the first phrase that fits, what is in the middle too; other text stays. */
export function rephrase(text: string, phrases: Phrases): string {
  const fixed = phrases.fixed.get(text)
  if (fixed !== undefined) return fixed
  for (const { match, say } of phrases.patterns) {
    const found = match.exec(text)
    if (!found) continue
    return say.replace(/\{(\d+)\}/g, (_, number: string) => {
      const inner = found[Number(number)] ?? ''
      return inner === text ? inner : rephrase(inner, phrases)
    })
  }
  return text
}

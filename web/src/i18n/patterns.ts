/** Sentences with something in the middle, and how to say them otherwise. */

interface Pattern {
  match: RegExp
  say: string
}

/** Patterns of sentences in which `{}` stands for anything; the longer ones are tried first. */
export function compile(sentences: [from: string, to: string][]): Pattern[] {
  const fixed = ([from]: [string, string]) => from.replaceAll('{}', '').length
  return sentences
    .toSorted((a, b) => fixed(b) - fixed(a))
    .map(([from, to]) => ({ match: pattern(from), say: to }))
}

function pattern(sentence: string): RegExp {
  const parts = sentence.split('{}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('([^]*?)')}$`)
}

/** Says a text by the first pattern that fits, what is in the middle too; other text stays. */
export function rephrase(text: string, patterns: Pattern[]): string {
  for (const { match, say } of patterns) {
    const found = match.exec(text)
    if (!found) continue
    return say.replace(/\{(\d+)\}/g, (_, number: string) => {
      const inner = found[Number(number)] ?? ''
      return inner === text ? inner : rephrase(inner, patterns)
    })
  }
  return text
}

/** The Markdown of reports: headings, paragraphs, lists, tables, images; `code` and **strong** within. */

export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'image'; title: string; file: string }

export interface Span {
  style: 'plain' | 'code' | 'strong'
  text: string
}

/** Splits a page into blocks, which are separated by empty lines. */
export function parseReport(page: string): Block[] {
  return page.split(/\n\s*\n/).flatMap((text) => (text.trim() ? [parseBlock(text.trim())] : []))
}

function parseBlock(text: string): Block {
  const heading = /^(#+) (.*)$/.exec(text)
  if (heading) return { kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' }
  const image = /^!\[(.*)\]\((.*)\)$/.exec(text)
  if (image) return { kind: 'image', title: image[1] ?? '', file: image[2] ?? '' }
  const lines = text.split('\n')
  if (lines.every((line) => line.startsWith('- '))) return { kind: 'list', items: lines.map((line) => line.slice(2)) }
  if (lines.length > 1 && lines.every((line) => line.startsWith('|'))) {
    const [head = [], , ...rows] = lines.map(cells)
    return { kind: 'table', head, rows }
  }
  return { kind: 'paragraph', text }
}

/** The cells of a row; `\|` is a bar within a cell. */
function cells(row: string): string[] {
  const inner = row.trim().replace(/^\|/, '').replace(/\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** Splits text into plain, code and strong parts. */
export function parseSpans(text: string): Span[] {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).filter(Boolean)
  return parts.map((part) => {
    if (part.length > 2 && part.startsWith('`') && part.endsWith('`')) return { style: 'code', text: part.slice(1, -1) }
    if (part.length > 4 && part.startsWith('**') && part.endsWith('**')) return { style: 'strong', text: part.slice(2, -2) }
    return { style: 'plain', text: part }
  })
}

import { expect, it } from 'vitest'
import { parseReport, parseSpans } from './report'

it('reports are split into their blocks', () => {
  const page = [
    '# Title', 'A paragraph\nof two lines.', '- easy: `level easy`\n- hard: `level hard`',
    '| depth | a\\|b |\n|---|--:|\n| 1 | 8 |\n| 2 |  |', '![Nodes](search-nodes.svg)', '',
  ].join('\n\n')
  expect(parseReport(page)).toEqual([
    { kind: 'heading', level: 1, text: 'Title' },
    { kind: 'paragraph', text: 'A paragraph\nof two lines.' },
    { kind: 'list', items: ['easy: `level easy`', 'hard: `level hard`'] },
    { kind: 'table', head: ['depth', 'a|b'], rows: [['1', '8'], ['2', '']] },
    { kind: 'image', title: 'Nodes', file: 'search-nodes.svg' },
  ])
  expect(parseReport('')).toEqual([])
})

it('code and strong text is marked', () => {
  expect(parseSpans('**Expected:** run `a **b** c` or <i>')).toEqual([
    { style: 'strong', text: 'Expected:' },
    { style: 'plain', text: ' run ' },
    { style: 'code', text: 'a **b** c' },
    { style: 'plain', text: ' or <i>' },
  ])
})

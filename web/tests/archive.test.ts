/** The archive: import by drop, search, explorer; openings, puzzles and progress. */

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useHarness } from './harness'

const harness = useHarness()

const PGN = [
  '[Event "Cup"]\n[White "Ana"]\n[Black "Bo"]\n[Date "2020.01.02"]\n\n1. e4 c5 2. Nf3 d6 1-0\n',
  '[Event "Open"]\n[White "Cleo"]\n[Black "Ana"]\n[Date "2021.05.06"]\n\n1. e4 e5 2. Qh5 0-1\n',
].join('\n')

/** Drops files on the page. */
async function drop(page: Page, files: { name: string; content: Uint8Array }[]) {
  const plain = files.map(({ name, content }) => ({ name, bytes: [...content] }))
  await page.evaluate((list) => {
    const data = new DataTransfer()
    for (const { name, bytes } of list) data.items.add(new File([new Uint8Array(bytes)], name))
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  }, plain)
}

const sample = (name: string) => new Uint8Array(readFileSync(new URL(`../../crates/othello/tests/data/${name}`, import.meta.url)))

it('imports WTHOR files with their names, dropped together', async () => {
  const page = await harness.open('')
  await drop(page, [
    { name: 'WTH_2001.wtb', content: sample('random.wtb') },
    { name: 'WTHOR.JOU', content: sample('random.jou') },
    { name: 'WTHOR.TRN', content: sample('random.trn') },
  ])
  await page.getByText('Imported', { exact: true }).waitFor()
  await page.getByText('12 new, 0 duplicates, 0 skipped').waitFor()
  const rows = page.locator('tbody th[scope=row]')
  await rows.first().waitFor()
  const names = await rows.allTextContents()
  expect(names.some((name) => !name.includes('?'))).toBe(true)
  await page.context().close()
})

it('searches with filters and opens a game once', async () => {
  const page = await harness.open('library/archive')
  await page.locator('input[type=file][multiple]').setInputFiles([{ name: 'games.pgn', mimeType: 'text/plain', buffer: Buffer.from(PGN) }])
  await page.getByText('2 new, 0 duplicates, 0 skipped').waitFor()
  await page.getByLabel('Player', { exact: true }).fill('ana')
  await page.getByText('2 games', { exact: true }).waitFor()
  await page.getByLabel('Opening', { exact: true }).fill('sicilian')
  await page.getByText('1 game', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Ana – Bo' }).click()
  await page.waitForURL(/#\/game\//)
  const first = page.url()
  // The opening is named beside the board.
  await page.getByText('Sicilian Defence').first().waitFor()
  await page.goto(`${harness.address}#/library/archive?player=bo`)
  await page.getByRole('button', { name: 'Ana – Bo' }).click()
  await page.waitForURL(/#\/game\//)
  expect(page.url()).toBe(first)
  await page.context().close()
})

it('shows the explorer beside the board and plays its moves', async () => {
  const page = await harness.open('')
  await page.evaluate(async () => {
    const response = await fetch('/api/games', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"game":"chess"}' })
    location.hash = `#/game/${((await response.json()) as { id: string }).id}`
  })
  await page.getByRole('tab', { name: 'Explorer' }).click()
  const explorer = page.getByRole('region', { name: 'Explorer' })
  await explorer.getByRole('button', { name: 'e4' }).click()
  await explorer.getByRole('button', { name: 'c5' }).waitFor()
  await explorer.getByRole('button', { name: 'e5' }).waitFor()
  await page.getByText("King's Pawn Opening").waitFor()
  await page.context().close()
})

it('trains an opening', async () => {
  const page = await harness.open('training/openings?game=othello')
  await page.getByLabel('Find an opening').fill('Tiger')
  await page.getByRole('button', { name: /^Tiger/ }).click()
  for (const square of ['c4', 'e3', 'f6', 'e6', 'f5']) {
    await page.getByRole('button', { name: new RegExp(`^${square}\\b`) }).click()
  }
  await page.locator('#main').getByText('Tiger: learned!').waitFor()
  await page.context().close()
})

it('solves puzzles from a file', async () => {
  const page = await harness.open('training/puzzles?game=chess')
  const suite = '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id "back rank";\n'
  await page.locator('input[type=file]').setInputFiles([{ name: 'suite.epd', mimeType: 'text/plain', buffer: Buffer.from(suite) }])
  await page.getByRole('heading', { name: /White to move/ }).waitFor()
  await page.getByRole('button', { name: /^d1\b/ }).click()
  await page.getByRole('button', { name: /^d8\b/ }).click()
  await page.getByText('Right!').first().waitFor()
  await page.context().close()
})

it('shows progress and starts a game at one’s level', async () => {
  const page = await harness.open('training/progress?game=othello')
  await page.getByRole('button', { name: /Play at your level/ }).click()
  await page.waitForURL(/#\/game\//)
  await page.getByText(/Level 3/).first().waitFor()
  await page.context().close()
})

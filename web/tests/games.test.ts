/** Every game of the catalog can be played, set up and read about, even one that the page does not know. */

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { GameView, RulesText } from '../src/api/types'
import { DROPS } from '../src/boards/testGames'
import { square, useHarness } from './harness'

const harness = useHarness()
/** Set SHOTS to a folder to save screenshots of the mock game. */
const SHOTS = process.env.SHOTS

it('every game is offered, explained, set up and played', async () => {
  const page = await harness.open()
  for (const { name, title, board } of await harness.catalog()) {
    await page.goto(`${harness.address}#/`)
    await page.getByRole('heading', { name: title.en, exact: true }).waitFor()
    await page.goto(`${harness.address}#/help/${name}`)
    await page.getByRole('heading', { name: `Rules of ${title.en}` }).waitFor()
    await page.locator('.rule').first().waitFor()

    await page.goto(`${harness.address}#/setup/${name}`)
    await page.getByRole('group', { name: `${title.en} board` }).waitFor()
    expect(await page.locator('[data-square]').count()).toBe(board.columns.length * board.rows.length)
    expect(await page.locator('.palette .piece').count()).toBe(board.pieces.length + 1)
    await page.getByText('Valid position').waitFor()

    await page.getByRole('button', { name: 'Play from here' }).click()
    await page.getByText('Two players', { exact: true }).click()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('group', { name: `${title.en} board` }).waitFor()
    const offered = page.getByRole('button', { name: /legal move|can move/ })
    for (let clicks = 0; clicks < 4 && (await page.locator('.moves .move').count()) === 0; clicks++) {
      await offered.first().click()
      await page.waitForTimeout(200)
    }
    await page.locator('.moves .move').first().waitFor()
  }
  await page.context().close()
})

/** Adds a mock game to the catalog. */
async function mockCatalog(page: Page) {
  const colours = ['red', 'yellow'] as const
  const sides = DROPS.sides.map((side, i) => ({ ...side, colour: colours[i] ?? 'red' }))
  const example = `${'.'.repeat(28)}...y...${'.ryr...'}`
  const kinds = [...(await harness.catalog()), { ...DROPS, sides, board: { ...DROPS.board, example } }]
  const rules: RulesText = {
    paragraphs: [{ text: 'Four in a row win.', illustration: { cells: example, marks: [38], arrows: [], dots: [24] } }],
  }
  await page.route('**/api/catalog', (route) => route.fulfill({ json: kinds }))
  await page.route('**/api/catalog/drops/rules*', (route) => route.fulfill({ json: rules }))
  await page.route('**/api/catalog/drops/check-position', (route) => route.fulfill({ json: { is_over: false } }))
}

/** Mocks a live game; collects the moves that are sent. */
async function mockLiveGame(page: Page, sent: string[]) {
  const cells = `${'.'.repeat(35)}...r...`
  const targets = [35, 36, 37, 31, 39, 40, 41]
  const moves = targets.map((to) => ({ move: String((to % 7) + 1), label: String((to % 7) + 1), shape: { kind: 'place' as const, to, flips: [] } }))
  await page.route('**/api/games/mock', async (route) => {
    const real = (await (await fetch(`${harness.address}api/games`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ game: 'tictactoe' }),
    })).json()) as GameView
    const node = { ...real.nodes[0], cells, turn: 'second', pieces: [1, 0], touched: [38] }
    const view = { ...real, id: 'mock', info: { ...real.info, game: 'drops' }, nodes: [node], state: { ...real.state, moves, turn: 'second' } }
    await route.fulfill({ json: view })
  })
  await page.route('**/api/games/mock/moves', async (route) => {
    sent.push((route.request().postDataJSON() as { move: string }).move)
    await route.fulfill({ status: 409, json: { code: 'internal', params: { reason: 'mock' }, message: 'mock' } })
  })
}

it.each([[1280, 'light'], [375, 'dark']] as const)('an unknown game is drawn at %i pixels', async (width, colorScheme) => {
  const page = await harness.open('', { viewport: { width, height: 800 }, colorScheme })
  await mockCatalog(page)
  const shoot = async (name: string) => {
    await page.waitForTimeout(300)
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/mock-${name}-${width}.png`, fullPage: width < 400 })
  }
  await page.reload()
  await page.getByRole('heading', { name: 'drops', exact: true }).waitFor()
  await shoot('home')

  await page.goto(`${harness.address}#/setup/drops`)
  await page.getByRole('group', { name: 'drops board' }).waitFor()
  expect(await page.locator('[data-square]').count()).toBe(42)
  await square(page, '43').click()
  expect(await square(page, '43').getAttribute('aria-label')).toBe('43, r')
  const box = await page.locator('.board svg').boundingBox()
  expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(7 / 6, 1)
  await shoot('setup')

  await page.goto(`${harness.address}#/help/drops`)
  await page.getByText('Four in a row win.').waitFor()
  await shoot('help')
  await page.context().close()
})

it('a click anywhere in a column drops a piece there', async () => {
  // The mocked status, and the WebSocket's error about the mock game.
  harness.expectedErrors.push(/status of 409/, /no game `mock`/)
  const page = await harness.open()
  await mockCatalog(page)
  const sent: string[] = []
  await mockLiveGame(page, sent)
  await page.goto(`${harness.address}#/game/mock`)
  await page.reload()
  await page.getByRole('group', { name: 'drops board' }).waitFor()
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/mock-game.png` })
  await square(page, '46').click()
  await expect.poll(() => sent).toEqual(['4'])
  await page.context().close()
})

it('an unknown game in the URL shows the available ones', async () => {
  const page = await harness.open('help/go')
  await page.getByRole('heading', { name: 'Unknown game “go”' }).waitFor()
  await page.goto(`${harness.address}#/new?game=go`)
  await page.getByRole('heading', { name: 'Unknown game “go”' }).waitFor()
  await page.getByRole('link', { name: 'Chess' }).click()
  await page.getByRole('heading', { name: 'New game' }).waitFor()
  await page.context().close()
})

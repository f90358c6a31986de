/** Any game of the server can be played, set up and read about, and so could one that is not there yet. */

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { GameView, RulesText } from '../src/api/types'
import { DROPS } from '../src/boards/testGames'
import { square, useWorld } from './world'

const world = useWorld()
/** Set SHOTS to a folder to keep pictures of the invented game. */
const SHOTS = process.env.SHOTS

it('every game is offered, explained, set up and played', async () => {
  const page = await world.open()
  for (const { name, title, board } of await world.catalog()) {
    await page.goto(`${world.address}#/`)
    await page.getByRole('heading', { name: title.en, exact: true }).waitFor()
    await page.goto(`${world.address}#/help/${name}`)
    await page.getByRole('heading', { name: `Rules of ${title.en}` }).waitFor()
    await page.locator('.rule').first().waitFor()

    await page.goto(`${world.address}#/setup/${name}`)
    await page.getByRole('group', { name: `${title.en} board` }).waitFor()
    expect(await page.locator('[data-square]').count()).toBe(board.columns.length * board.rows.length)
    expect(await page.locator('.palette .piece').count()).toBe(board.pieces.length + 1)
    await page.getByText('This position is right').waitFor()

    await page.getByRole('button', { name: 'Play from here' }).click()
    await page.getByText('Two people', { exact: true }).click()
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

/** Lets the page believe that there is one more game. */
async function invent(page: Page) {
  const colours = ['red', 'yellow'] as const
  const sides = DROPS.sides.map((side, i) => ({ ...side, colour: colours[i] ?? 'red' }))
  const example = `${'.'.repeat(28)}...y...${'.ryr...'}`
  const kinds = [...(await world.catalog()), { ...DROPS, sides, board: { ...DROPS.board, example } }]
  const rules: RulesText = {
    paragraphs: [{ text: 'Four in a row win.', illustration: { cells: example, marks: [38], arrows: [], dots: [24] } }],
  }
  await page.route('**/api/catalog', (route) => route.fulfill({ json: kinds }))
  await page.route('**/api/catalog/drops/rules*', (route) => route.fulfill({ json: rules }))
  await page.route('**/api/catalog/drops/check-position', (route) => route.fulfill({ json: { is_over: false } }))
}

/** A game of it under way, with the moves that were sent. */
async function inventGame(page: Page, sent: string[]) {
  const cells = `${'.'.repeat(35)}...r...`
  const targets = [35, 36, 37, 31, 39, 40, 41]
  const moves = targets.map((to) => ({ move: String((to % 7) + 1), label: String((to % 7) + 1), shape: { kind: 'place' as const, to, flips: [] } }))
  await page.route('**/api/games/invented', async (route) => {
    const real = (await (await fetch(`${world.address}api/games`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ game: 'tictactoe' }),
    })).json()) as GameView
    const node = { ...real.nodes[0], cells, turn: 'second', pieces: [1, 0], touched: [38] }
    const view = { ...real, id: 'invented', info: { ...real.info, game: 'drops' }, nodes: [node], state: { ...real.state, moves, turn: 'second' } }
    await route.fulfill({ json: view })
  })
  await page.route('**/api/games/invented/moves', async (route) => {
    sent.push((route.request().postDataJSON() as { move: string }).move)
    await route.fulfill({ status: 409, json: { code: 'internal', params: { reason: 'invented' }, message: 'invented' } })
  })
}

it.each([[1280, 'light'], [375, 'dark']] as const)('a game that was never heard of is drawn at %i pixels', async (width, colorScheme) => {
  const page = await world.open('', { viewport: { width, height: 800 }, colorScheme })
  await invent(page)
  const shoot = async (name: string) => {
    await page.waitForTimeout(300)
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/invented-${name}-${width}.png`, fullPage: width < 400 })
  }
  await page.reload()
  await page.getByRole('heading', { name: 'drops', exact: true }).waitFor()
  await shoot('home')

  await page.goto(`${world.address}#/setup/drops`)
  await page.getByRole('group', { name: 'drops board' }).waitFor()
  expect(await page.locator('[data-square]').count()).toBe(42)
  await square(page, '43').click()
  expect(await square(page, '43').getAttribute('aria-label')).toBe('43, r')
  const box = await page.locator('.board svg').boundingBox()
  expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(7 / 6, 1)
  await shoot('setup')

  await page.goto(`${world.address}#/help/drops`)
  await page.getByText('Four in a row win.').waitFor()
  await shoot('help')
  await page.context().close()
})

it('a click anywhere in a column drops a piece there', async () => {
  const page = await world.open()
  await invent(page)
  const sent: string[] = []
  await inventGame(page, sent)
  await page.goto(`${world.address}#/game/invented`)
  await page.reload()
  await page.getByRole('group', { name: 'drops board' }).waitFor()
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/invented-game.png` })
  await square(page, '46').click()
  await expect.poll(() => sent).toEqual(['4'])
  // The browser complains about the answer that we invented, the live connection about the game.
  const expected = (text: string) => text.includes('409') || text === 'there is no game `invented`'
  for (let i = world.complaints.length - 1; i >= 0; i--) if (expected(world.complaints[i] ?? '')) world.complaints.splice(i, 1)
  await page.context().close()
})

it('an unknown game in the address gets a friendly answer', async () => {
  const page = await world.open('help/go')
  await page.getByRole('heading', { name: 'There is no game “go” here' }).waitFor()
  await page.goto(`${world.address}#/new?game=go`)
  await page.getByRole('heading', { name: 'There is no game “go” here' }).waitFor()
  await page.getByRole('link', { name: 'Chess' }).click()
  await page.getByRole('heading', { name: 'New game' }).waitFor()
  await page.context().close()
})

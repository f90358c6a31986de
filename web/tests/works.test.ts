/** What the earlier works could do: player files, .tab files, results of people, experiments, help and about. */

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Page } from 'playwright-core'

import { newGame, status, useHarness } from './harness'

const harness = useHarness()
const weights = (name: string) => new URL(`../../weights/${name}`, import.meta.url).pathname

/** A fresh page in Spanish. */
const openSpanish = (path: string) => harness.open(path, { locale: 'es-ES' })

/** Drops a file onto the page. */
async function drop(page: Page, name: string, content: string) {
  const transfer = await page.evaluateHandle(([name, content]) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([content ?? ''], name ?? ''))
    return transfer
  }, [name, content])
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer })
}

it('an .evl file is dropped, played against, evolved on from and deleted', async () => {
  const page = await harness.open()
  await page.getByRole('heading', { name: 'What would you like to play?' }).waitFor()
  await drop(page, 'player100aSCI.evl', readFileSync(weights('othello7-sci.evl'), 'utf8'))
  await page.getByRole('heading', { name: 'player100aSCI.evl' }).waitFor()
  await page.getByText('Othello · genomes · sci · 100 generations · 30 individuals').waitFor()

  await page.getByRole('link', { name: 'Play against player100aSCI.evl' }).click()
  await page.getByRole('heading', { name: 'New game' }).waitFor()
  await expect.poll(() => page.getByLabel('Opponent').locator('option:checked').textContent()).toBe('player100aSCI.evl')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('button', { name: /legal move/ }).first().click()
  await expect.poll(() => page.locator('.moves .move').count()).toBe(2)
  await page.locator('.player', { hasText: 'player100aSCI.evl' }).waitFor()

  await page.goto(`${harness.address}#/lab/players`)
  await page.getByRole('link', { name: 'Evolve on from player100aSCI.evl' }).click()
  await page.getByText('Starts from the population of player100aSCI.evl.').waitFor()
  await expect.poll(() => page.getByRole('combobox', { name: 'Genome' }).inputValue()).toBe('sci')
  await page.getByLabel('Generations', { exact: true }).fill('1')
  await page.getByText('Fitness games').click()
  await page.getByLabel('Genomes play as').fill('greedy')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })

  await page.goto(`${harness.address}#/lab/players`)
  await page.getByRole('button', { name: 'Delete player100aSCI.evl' }).click()
  await page.getByRole('button', { name: 'Really delete player100aSCI.evl?' }).click()
  await page.getByText('No player files yet').waitFor()
  await page.context().close()
})

it('weights and networks are chosen as files and play', async () => {
  const page = await harness.open('lab/players')
  for (const [file, facts] of [['othello-patterns.weights', 'Othello · weights'], ['othello-2x32.safetensors', 'Othello · network · resnet 2x32']] as const) {
    await page.locator('input[type=file]').setInputFiles(weights(file))
    await page.locator('article', { hasText: file }).getByText(facts).waitFor()
  }
  // They are among the players of the arena.
  await page.goto(`${harness.address}#/lab/arena`)
  const picker = page.getByRole('combobox', { name: 'Player 1' })
  await expect.poll(() => picker.locator('optgroup[label="Player files"] option').allTextContents()).toEqual(
    expect.arrayContaining(['othello-patterns.weights', 'othello-2x32.safetensors']),
  )
  await page.context().close()
})

it('a damaged file is refused in the language of the page', async () => {
  harness.expectedErrors.push(/400 \(Bad Request\)/)
  const damaged = readFileSync(weights('othello7-sci.evl'), 'utf8').split('\n').slice(0, 10).join('\n')
  const english = await harness.open('lab/players')
  await english.getByRole('heading', { name: 'Player files' }).waitFor()
  await drop(english, 'x.evl', damaged)
  await english.getByText(/invalid evl file .*expected polynomial 9 of 31/).waitFor()
  await english.context().close()
  const spanish = await openSpanish('lab/players')
  await spanish.getByRole('heading', { name: 'Archivos de jugadores' }).waitFor()
  await drop(spanish, 'x.evl', damaged)
  await spanish.getByText(/se esperaba el polinomio 9 de 31/).waitFor()
  await drop(spanish, 'x.weights', 'no')
  await spanish.getByText(/archivo de pesos no válido/).waitFor()
  await spanish.context().close()
})

it('a .tab file is gone on with against the computer', async () => {
  const rows = Array.from({ length: 10 }, () => Array<number>(10).fill(0))
  for (const [row, column, disc] of [[3, 3, 2], [3, 4, 1], [4, 4, 2], [4, 5, 1], [5, 4, 1], [5, 5, 2]] as const) rows[row]![column] = disc
  const page = await harness.open()
  await page.getByRole('heading', { name: 'What would you like to play?' }).waitFor()
  await drop(page, 'juego.tab', rows.map((row) => row.join(' ')).join('\n'))
  await page.getByRole('group', { name: 'Othello board' }).waitFor()
  await page.getByRole('button', { name: 'Play on against the computer' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Computer · /).selectOption('level 1')
  await dialog.getByRole('button', { name: 'Play on' }).click()
  await dialog.waitFor({ state: 'detached' })
  const before = await page.locator('.moves .move').count()
  await page.getByRole('button', { name: /legal move/ }).first().click()
  await expect.poll(() => page.locator('.moves .move').count()).toBe(before + 2)
  await page.locator('.player', { hasText: 'Level 1' }).waitFor()
  await page.context().close()
})

it('results of people against the computer are charted', async () => {
  const page = await harness.open('library/results')
  const empty = page.getByText('No finished games against the computer yet')
  const chart = page.getByRole('img', { name: /^Games so far/ })
  await empty.or(chart).first().waitFor()
  await newGame(page, { game: 'Tic-tac-toe', who: 'Against the computer', opponent: 'level 1' })
  await page.getByRole('button', { name: 'Resign' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resign' }).click()
  await status(page, 'by resignation').waitFor()
  await page.goto(`${harness.address}#/library`)
  await page.getByRole('link', { name: 'People against the computer' }).click()
  await page.getByRole('combobox', { name: 'Game' }).selectOption('tictactoe')
  await page.getByRole('img', { name: 'Games so far: won 0, drawn 0, lost 1' }).waitFor()
  const row = page.getByRole('region', { name: 'By opponent' }).getByRole('row', { name: /Level 1/ })
  expect((await row.locator('td').allTextContents()).slice(0, 5)).toEqual(['Tic-tac-toe', '0', '0', '1', '0.0 %'])
  await page.context().close()
})

it('a match shows its results by colour', async () => {
  const page = await harness.open('lab/arena')
  await page.getByText('Tic-tac-toe', { exact: true }).click()
  await page.getByLabel('Games per pairing').fill('4')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })
  const table = page.getByRole('region', { name: 'Crosstable' })
  await table.getByRole('columnheader', { name: 'as X' }).waitFor()
  await table.getByRole('columnheader', { name: 'as O' }).waitFor()
  await expect.poll(async () => (await table.locator('tbody tr').first().locator('td').allTextContents()).filter((cell) => /^\s*\+\d+ =\d+ −\d+\s*$/.test(cell)).length).toBe(3)
  await page.context().close()
})

it('an experiment is run and its report read', async () => {
  const page = await harness.open('lab/experiments')
  await page.getByRole('button', { name: 'Run unicen' }).click()
  await page.getByRole('heading', { name: 'Experiment · Othello' }).waitFor()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 120_000 })
  await page.getByRole('heading', { name: 'Published and measured values' }).waitFor()
  await page.getByRole('columnheader', { name: 'alpha-beta', exact: true }).first().waitFor()
  const plot = page.getByRole('img', { name: 'Nodes per move' })
  await plot.scrollIntoViewIfNeeded()
  await expect.poll(() => plot.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(100)

  // A full one is stopped and resumed.
  await page.goto(`${harness.address}#/lab/experiments`)
  await page.getByLabel(/Quick run/).uncheck()
  await page.getByRole('button', { name: 'Run unicen' }).click()
  await page.getByText('Now:').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('stopped', { exact: true }).waitFor({ timeout: 30_000 })
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('running', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('stopped', { exact: true }).waitFor({ timeout: 30_000 })
  await page.context().close()

  const spanish = await openSpanish('lab/experiments')
  await spanish.getByRole('heading', { name: 'Los tres niveles de «Juego de IA Othello»' }).waitFor()
  await spanish.context().close()
}, 240_000)

it('help and about tell what UNICEN\'s did', async () => {
  for (const [open, words] of [
    [(path: string) => harness.open(path), { help: ['X-squares', 'a corner counts 50', 'Reversi (1883)', 'A bar for each player', 'Let the computer move'], about: ['Emilio Bongiorno', 'Version'] }],
    [openSpanish, { help: ['casillas X', 'una esquina vale 50', 'Reversi (1883)', 'Una barra por jugador', 'Que juegue la máquina'], about: ['Emilio Bongiorno', 'Versión'] }],
  ] as const) {
    const page = await open('help/othello')
    for (const text of words.help) await page.getByText(text).first().waitFor()
    await page.goto(`${harness.address}#/about`)
    for (const text of words.about) await page.getByText(text).first().waitFor()
    await page.context().close()
  }
})

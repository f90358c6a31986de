/** Custom drawings of boards; all others are grids. */

import type { Component } from 'svelte'
import type { BoardShape } from './games'
import Grid from './surfaces/Grid.svelte'
import Othello from './surfaces/Othello.svelte'
import Shobu from './surfaces/Shobu.svelte'

type Drawing = Component<{ shape: BoardShape }>

const DRAWINGS: Record<string, Drawing | undefined> = { othello: Othello, shobu: Shobu }

export function drawingOf(shape: BoardShape): Drawing {
  return DRAWINGS[shape.drawing ?? ''] ?? Grid
}

/** Synthesised sounds: a knock for a move, two tones for the end. */

import { settings } from '../settings.svelte'

let context: AudioContext | null = null

function tone(frequency: number, start: number, length: number, loudness: number) {
  context ??= new AudioContext()
  const at = context.currentTime + start
  const oscillator = context.createOscillator()
  const gain = context.createGain()
  oscillator.type = 'triangle'
  oscillator.frequency.setValueAtTime(frequency, at)
  oscillator.frequency.exponentialRampToValueAtTime(frequency * 0.6, at + length)
  gain.gain.setValueAtTime(loudness, at)
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length)
  oscillator.connect(gain).connect(context.destination)
  oscillator.start(at)
  oscillator.stop(at + length)
}

const SOUNDS = {
  move: () => tone(420, 0, 0.08, 0.25),
  capture: () => {
    tone(300, 0, 0.1, 0.3)
    tone(180, 0.04, 0.12, 0.2)
  },
  pass: () => tone(240, 0, 0.2, 0.15),
  end: () => {
    tone(520, 0, 0.25, 0.2)
    tone(660, 0.16, 0.4, 0.2)
  },
}

export function play(sound: keyof typeof SOUNDS) {
  if (settings.sounds) SOUNDS[sound]()
}

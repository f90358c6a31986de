/** Synthesised sounds: a knock of wood for a move, tones for check, low time and the end. */

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

/** A knock: a short burst of noise through a narrow filter. */
function knock(frequency: number, start: number, loudness: number) {
  context ??= new AudioContext()
  const length = 0.07
  const at = context.currentTime + start
  const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * length), context.sampleRate)
  const samples = buffer.getChannelData(0)
  for (let i = 0; i < samples.length; i++) samples[i] = (2 * Math.random() - 1) * (1 - i / samples.length) ** 3
  const source = context.createBufferSource()
  source.buffer = buffer
  const filter = context.createBiquadFilter()
  filter.type = 'bandpass'
  filter.frequency.value = frequency
  filter.Q.value = 1.4
  const gain = context.createGain()
  gain.gain.value = loudness
  source.connect(filter).connect(gain).connect(context.destination)
  source.start(at)
}

const SOUNDS = {
  move: () => knock(900, 0, 0.9),
  capture: () => {
    knock(620, 0, 1)
    knock(1100, 0.05, 0.7)
  },
  check: () => {
    knock(900, 0, 0.8)
    tone(740, 0.03, 0.16, 0.12)
  },
  low: () => {
    tone(880, 0, 0.09, 0.14)
    tone(880, 0.16, 0.09, 0.14)
  },
  lost: () => {
    tone(440, 0, 0.25, 0.18)
    tone(330, 0.18, 0.45, 0.18)
  },
  pass: () => tone(240, 0, 0.2, 0.15),
  end: () => {
    tone(520, 0, 0.25, 0.2)
    tone(660, 0.16, 0.4, 0.2)
  },
}

export function play(sound: keyof typeof SOUNDS) {
  // Browsers are silent until the user has clicked or typed.
  if (settings.sounds && (navigator.userActivation?.hasBeenActive ?? true)) SOUNDS[sound]()
}

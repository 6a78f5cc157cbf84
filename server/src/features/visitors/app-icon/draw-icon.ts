import { CpuSlice } from '#kernel/cpu-slice.ts'
import { drawStrokes } from './draw-strokes.ts'
import { bubble, glyphs } from './glyphs.ts'
import { readLogo } from './read-logo.ts'
import { fitOnWhite, type Picture } from './resize.ts'
import { channels, writePng, type Square } from './write-png.ts'

/** A square icon. It has no transparent parts, which iOS would show in black. */
export interface AppIcon {
  /** In pixels. */
  readonly size: number
  /** `#rrggbb` */
  readonly ground: string
  /** `#rrggbb`, of the letter. */
  readonly ink: string
  /** What the letter is of. */
  readonly name: string
  /** An image as a `data:` URL, or empty. */
  readonly logo: string
}

/** What systems cut off of an icon's corners must hold no part of the logo or letter. */
const logoPart = 0.8
const letterPart = 0.46
const strokePart = 0.045

/** The logo on white if it is a PNG that is small enough, or else the first letter of the name. */
export async function drawIcon(icon: AppIcon): Promise<Buffer> {
  const slice = new CpuSlice()
  const { size } = icon
  const logo = readLogo(icon.logo)
  if (slice.isOver) await slice.next()
  const square = { size, data: new Uint8Array(size * size * channels) }
  if (logo === null) await drawLetter(square, icon, slice)
  else await drawLogo(square, logo, slice)
  return await writePng(square, slice)
}

async function drawLogo({ size, data }: Square, logo: Picture, slice: CpuSlice): Promise<void> {
  data.fill(255)
  const fitted = await fitOnWhite(logo, Math.round(size * logoPart), slice)
  const left = Math.floor((size - fitted.width) / 2)
  const top = Math.floor((size - fitted.height) / 2)
  const width = fitted.width * channels
  for (let y = 0; y < fitted.height; y += 1) {
    if (slice.isOver) await slice.next()
    const to = ((y + top) * size + left) * channels
    for (let x = 0; x < width; x += 1) data[to + x] = Math.round(fitted.data[y * width + x] ?? 0)
  }
}

async function drawLetter(
  { size, data }: Square,
  { ground, ink, name }: AppIcon,
  slice: CpuSlice,
): Promise<void> {
  const pen = { size, height: size * letterPart, radius: size * strokePart }
  const covered = await drawStrokes(glyphOf(name), pen, slice)
  const [under, over] = [channelsOf(ground), channelsOf(ink)]
  for (let pixel = 0; pixel < size * size; pixel += 1) {
    if (pixel % size === 0 && slice.isOver) await slice.next()
    const part = covered[pixel] ?? 0
    for (let channel = 0; channel < channels; channel += 1) {
      const from = under[channel] ?? 0
      data[pixel * channels + channel] = Math.round(from + ((over[channel] ?? 0) - from) * part)
    }
  }
}

/** Without its accent: an É is drawn as an E. */
function glyphOf(name: string): string {
  const [first = ''] = name.normalize('NFD').toUpperCase()
  return glyphs[first] ?? bubble
}

function channelsOf(colour: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}

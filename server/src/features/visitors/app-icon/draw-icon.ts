import { PNG } from 'pngjs'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { drawStrokes } from './draw-strokes.ts'
import { bubble, glyphs } from './glyphs.ts'
import { fitOnWhite, type Picture } from './resize.ts'

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
  const logo = readLogo(icon.logo)
  if (slice.isOver) await slice.next()
  const png = new PNG({
    width: icon.size,
    height: icon.size,
    colorType: 2,
    inputHasAlpha: true,
    // Flat colours compress best without a filter.
    filterType: logo === null ? 0 : 1,
    deflateStrategy: 0,
    deflateLevel: 6,
  })
  if (logo === null) drawLetter(png, icon)
  else await drawLogo(png, logo, slice)
  if (slice.isOver) await slice.next()
  return await packed(png)
}

/** Compressed beside the event loop. */
function packed(png: PNG): Promise<Buffer> {
  const pieces: Buffer[] = []
  return new Promise((resolve, reject) => {
    png.on('data', (piece: Buffer) => pieces.push(piece))
    png.on('end', () => resolve(Buffer.concat(pieces)))
    png.on('error', reject)
    png.pack()
  })
}

/** A larger image would hold up the event loop while it is decoded. The dashboard sends none. */
const mostPixels = 256
const prefix = 'data:image/png;base64,'

function readLogo(logo: string): Picture | null {
  if (!logo.startsWith(prefix)) return null
  const bytes = Buffer.from(logo.slice(prefix.length), 'base64')
  // The sizes are in the first chunk, at these places (PNG, IHDR).
  if (bytes.length < 24) return null
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  if (width > mostPixels || height > mostPixels) return null
  try {
    return PNG.sync.read(bytes)
  } catch {
    // An editor may have sent anything as a logo. The page then has its letter.
    return null
  }
}

async function drawLogo(png: Picture, logo: Picture, slice: CpuSlice): Promise<void> {
  png.data.fill(255)
  const fitted = await fitOnWhite(logo, Math.round(png.width * logoPart), slice)
  const left = Math.floor((png.width - fitted.width) / 2)
  const top = Math.floor((png.height - fitted.height) / 2)
  for (let y = 0; y < fitted.height; y += 1)
    for (let x = 0; x < fitted.width; x += 1)
      for (let channel = 0; channel < 3; channel += 1)
        png.data[((y + top) * png.width + x + left) * 4 + channel] = Math.round(
          fitted.data[(y * fitted.width + x) * 3 + channel] ?? 0,
        )
}

function drawLetter(png: Picture, { size, ground, ink, name }: AppIcon): void {
  const covered = drawStrokes(glyphOf(name), {
    size,
    height: size * letterPart,
    radius: size * strokePart,
  })
  const [under, over] = [channelsOf(ground), channelsOf(ink)]
  for (let pixel = 0; pixel < size * size; pixel += 1) {
    const part = covered[pixel] ?? 0
    for (let channel = 0; channel < 3; channel += 1) {
      const from = under[channel] ?? 0
      png.data[pixel * 4 + channel] = Math.round(from + ((over[channel] ?? 0) - from) * part)
    }
    png.data[pixel * 4 + 3] = 255
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

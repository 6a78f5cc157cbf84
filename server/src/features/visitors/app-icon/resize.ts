import type { CpuSlice } from '#kernel/cpu-slice.ts'

/** Pixels of four bytes: red, green, blue and how opaque they are. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

/** Pixels of three numbers from 0 to 255. */
interface Opaque {
  readonly width: number
  readonly height: number
  readonly data: Float32Array
}

const channels = 3

/** A picture on white, made as large as a square allows. */
export async function fitOnWhite(picture: Picture, size: number, slice: CpuSlice): Promise<Opaque> {
  const scale = size / Math.max(picture.width, picture.height)
  const scaled = (side: number) => Math.max(1, Math.round(side * scale))
  const narrowed = await resizeAndTurn(onWhite(picture), scaled(picture.width), slice)
  return await resizeAndTurn(narrowed, scaled(picture.height), slice)
}

function onWhite({ width, height, data }: Picture): Opaque {
  const opaque = new Float32Array(width * height * channels)
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const part = (data[pixel * 4 + 3] ?? 0) / 255
    for (let channel = 0; channel < channels; channel += 1)
      opaque[pixel * channels + channel] = 255 - part * (255 - (data[pixel * 4 + channel] ?? 0))
  }
  return { width, height, data: opaque }
}

/**
 * Resizes each row, and makes a column of it: twice, and the picture has both new sides. Each new
 * pixel is the mean of those around it, of which nearer ones count more.
 */
async function resizeAndTurn(
  { width, height, data }: Opaque,
  wide: number,
  slice: CpuSlice,
): Promise<Opaque> {
  const step = width / wide
  const reach = Math.max(1, step)
  const resized = new Float32Array(wide * height * channels)
  for (let x = 0; x < wide; x += 1) {
    if (slice.isOver) await slice.next()
    for (const [at, weight] of weightsAround((x + 0.5) * step - 0.5, reach, width)) {
      let from = at * channels
      let to = x * height * channels
      for (let y = 0; y < height; y += 1) {
        resized[to] = (resized[to] ?? 0) + weight * (data[from] ?? 0)
        resized[to + 1] = (resized[to + 1] ?? 0) + weight * (data[from + 1] ?? 0)
        resized[to + 2] = (resized[to + 2] ?? 0) + weight * (data[from + 2] ?? 0)
        from += width * channels
        to += channels
      }
    }
  }
  return { width: height, height: wide, data: resized }
}

function weightsAround(
  centre: number,
  reach: number,
  width: number,
): readonly (readonly [at: number, weight: number])[] {
  const weights: [number, number][] = []
  for (let at = Math.ceil(centre - reach); at <= Math.floor(centre + reach); at += 1) {
    const weight = 1 - Math.abs(at - centre) / reach
    if (weight > 0) weights.push([Math.min(width - 1, Math.max(0, at)), weight])
  }
  const sum = weights.reduce((before, [, weight]) => before + weight, 0)
  return weights.map(([at, weight]) => [at, weight / sum])
}

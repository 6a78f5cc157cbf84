import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { CpuSlice } from '#kernel/cpu-slice.ts'

/** A square picture, three bytes for each pixel: red, green, blue. */
export interface Square {
  readonly size: number
  readonly data: Uint8Array
}

export const channels = 3
/** PNG, third edition, §5.2, §11.2 and §9.2. */
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const rgb = 2
const filterSub = 1

/**
 * A picture as PNG. `pngjs` would prepare all of it in one turn of the event loop; here, rows are prepared
 * in slices and compressed beside the event loop.
 */
export async function writePng({ size, data }: Square, slice: CpuSlice): Promise<Buffer> {
  const width = size * channels
  const rows = Buffer.alloc((width + 1) * size)
  for (let y = 0; y < size; y += 1) {
    if (slice.isOver) await slice.next()
    const to = y * (width + 1)
    rows[to] = filterSub
    for (let x = 0; x < width; x += 1) {
      const before = x < channels ? 0 : (data[y * width + x - channels] ?? 0)
      rows[to + 1 + x] = (data[y * width + x] ?? 0) - before
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, rgb], 8)
  const packed = await promisify(deflate)(rows)
  return Buffer.concat([
    signature,
    ...chunk('IHDR', header),
    ...chunk('IDAT', packed),
    ...chunk('IEND', Buffer.alloc(0)),
  ])
}

/** PNG §5.3 */
function chunk(type: string, data: Buffer): Buffer[] {
  const [length, check, name] = [Buffer.alloc(4), Buffer.alloc(4), Buffer.from(type, 'latin1')]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(data, crc32(name)))
  return [length, name, data, check]
}

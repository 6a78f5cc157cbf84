import { crc32, deflateSync } from 'node:zlib'

/** PNG, third edition, §5.3. */
function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length)
  around.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)])
}

interface Header {
  readonly side: number
  readonly depth?: number
  readonly interlace?: number
}

const rgba = 6

function header({ side, depth = 8, interlace = 0 }: Header): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(side)
  data.writeUInt32BE(side, 4)
  data.set([depth, rgba, 0, 0, interlace], 8)
  return chunk('IHDR', data)
}

function logo(...chunks: readonly Buffer[]): string {
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const bytes = Buffer.concat([signature, ...chunks, chunk('IEND')])
  return `data:image/png;base64,${bytes.toString('base64')}`
}

/** Rows of black pixels, each with the byte of its filter. */
const rows = (side: number, depth = 8) => deflateSync(Buffer.alloc((side * (depth / 2) + 1) * side))
const inflated = (bytes: number) => deflateSync(Buffer.alloc(bytes))

/** PNGs that an editor can store as a logo, and that make a decoder work hard. */
export const hostileLogos = {
  'two headers': logo(header({ side: 64 }), header({ side: 3000 }), chunk('IDAT', rows(3000))),
  'an interlaced image that inflates to 40 MB': logo(
    header({ side: 64, interlace: 1 }),
    chunk('IDAT', inflated(40_000_000)),
  ),
  'samples of 16 bits': logo(header({ side: 256, depth: 16 }), chunk('IDAT', rows(256, 16))),
  'thousands of chunks': logo(
    header({ side: 256 }),
    ...Array.from({ length: 3000 }, () => chunk('IDAT')),
    chunk('IDAT', rows(256)),
  ),
  'no pixels': logo(header({ side: 0 }), chunk('IDAT', inflated(40_000_000))),
} as const

/** The largest image that is decoded: 256 × 256 pixels of eight bits. */
export const largestLogo: string = logo(header({ side: 256 }), chunk('IDAT', rows(256)))

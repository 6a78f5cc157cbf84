import { PNG } from 'pngjs'
import type { Picture } from './resize.ts'

/** A larger image would hold up the event loop while it is decoded. The dashboard sends none. */
const mostPixels = 256
/** The canvas of a browser writes fewer than ten. */
const mostChunks = 100
const prefix = 'data:image/png;base64,'
/** PNG, third edition, §5.2. */
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** The picture of a logo; null for one that is no PNG, is damaged, or would take long to decode. */
export function readLogo(logo: string): Picture | null {
  if (!logo.startsWith(prefix)) return null
  const bytes = Buffer.from(logo.slice(prefix.length), 'base64')
  if (!isSmall(bytes)) return null
  try {
    return PNG.sync.read(bytes)
  } catch {
    // An editor may have sent anything as a logo. The page then has its letter.
    return null
  }
}

/**
 * Whether `pngjs` decodes the bytes within some milliseconds. It uses the last header of several, inflates
 * an interlaced image without a bound, and is slow with samples that are not of eight bits.
 */
function isSmall(bytes: Buffer): boolean {
  const chunks = chunksOf(bytes)
  const headers = chunks?.filter(({ type }) => type === 'IHDR') ?? []
  const [header] = headers
  if (header === undefined || headers.length > 1 || header !== chunks?.[0]) return false
  const { data } = header
  if (data.length !== 13) return false
  const sides = [data.readUInt32BE(0), data.readUInt32BE(4)]
  const [depth, interlace] = [data[8], data[12]]
  return sides.every((side) => side >= 1 && side <= mostPixels) && depth === 8 && interlace === 0
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

/** The chunks up to the end of the image (PNG §5.3); null if they are cut off or too many. */
function chunksOf(bytes: Buffer): readonly Chunk[] | null {
  if (!bytes.subarray(0, signature.length).equals(signature)) return null
  const chunks: Chunk[] = []
  for (let at = signature.length; chunks.length < mostChunks;) {
    if (at + 12 > bytes.length) return null
    const data = at + 8
    const end = data + bytes.readUInt32BE(at)
    if (end + 4 > bytes.length) return null
    const type = bytes.toString('latin1', at + 4, data)
    chunks.push({ type, data: bytes.subarray(data, end) })
    if (type === 'IEND') return chunks
    at = end + 4
  }
  return null
}

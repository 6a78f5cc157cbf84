import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import { OutboundRefused } from './outbound-refused.ts'

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
} as const

/**
 * Decodes one content encoding. Decompression stops at `maxBytes`, so that a small body cannot expand
 * into a large one; several encodings on top of each other are refused for the same reason.
 *
 * @throws OutboundRefused
 */
export async function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? 'identity'
  if (name === 'identity' || name === '' || body.length === 0) return body
  if (!isKnown(name))
    throw new OutboundRefused('bad_encoding', `Content encoding ${name} was not requested.`)
  try {
    return await decoders[name](body, { maxOutputLength: maxBytes })
  } catch (error) {
    const tooLarge = error instanceof RangeError
    throw new OutboundRefused(
      tooLarge ? 'too_large' : 'bad_encoding',
      tooLarge ? `The body is longer than ${maxBytes} bytes.` : `The body is not ${name}.`,
      { cause: error },
    )
  }
}

function isKnown(name: string): name is keyof typeof decoders {
  return Object.hasOwn(decoders, name)
}

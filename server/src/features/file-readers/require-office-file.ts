import { once } from 'node:events'
import yauzl from 'yauzl'
import { Fault } from '#kernel/fault.ts'
import { documentFaults } from './document.ts'

const maxUnpackedMegabytes = 128
const maxEntries = 10_000

/** Starts a compound file: an Office document with a password, or one of an old format. */
const compoundFile = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/**
 * Unpacks a ZIP archive and counts its bytes without keeping them: libraries that read office files
 * unpack whatever is in them, and an archive can lie about its sizes.
 *
 * @throws Fault document_locked, document_damaged, document_unpacks_too_large
 */
export async function requireOfficeFile(bytes: Buffer): Promise<void> {
  if (bytes.subarray(0, compoundFile.length).equals(compoundFile))
    throw new Fault(documentFaults.document_locked)
  let left = maxUnpackedMegabytes * 1024 * 1024
  let entries = 0
  try {
    const archive = await yauzl.fromBufferPromise(bytes, { lazyEntries: true })
    for await (const entry of archive.eachEntry()) {
      entries += 1
      left -= await unpackedSize(archive, entry, left)
      if (left < 0 || entries > maxEntries) throw tooLarge()
    }
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault(documentFaults.document_damaged, {}, { cause: error })
  }
}

async function unpackedSize(
  archive: yauzl.ZipFile,
  entry: yauzl.Entry,
  atMost: number,
): Promise<number> {
  if (entry.uncompressedSize > atMost) throw tooLarge()
  const stream = await archive.openReadStreamPromise(entry)
  let size = 0
  stream.on('data', (piece: Buffer) => {
    size += piece.length
    if (size > atMost) stream.destroy(tooLarge())
  })
  await once(stream, 'end')
  return size
}

function tooLarge(): Fault {
  const facts = { limit_megabytes: maxUnpackedMegabytes }
  return new Fault(documentFaults.document_unpacks_too_large, facts)
}

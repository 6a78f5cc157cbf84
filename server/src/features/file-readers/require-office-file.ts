import { Fault } from '#kernel/fault.ts'
import { documentFaults } from './document.ts'
import { requireSmallArchive } from './require-small-archive.ts'

/** Of a compound file: what Office makes of a document with a password, and all its old formats. */
const compoundFile = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** @throws Fault document_locked, document_damaged, document_unpacks_too_large */
export async function requireOfficeFile(bytes: Buffer): Promise<void> {
  if (bytes.subarray(0, compoundFile.length).equals(compoundFile))
    throw new Fault(documentFaults.document_locked)
  await requireSmallArchive(bytes)
}

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BusboyInstance } from '@fastify/busboy'
import { Fault } from '#kernel/fault.ts'
import { chatRequestFaults as faults } from '#surfaces/chat/chat-request-faults.ts'

/** A file of a form, whose bytes arrive while it is read. */
export interface FormFile {
  readonly field: string
  /** Without a path. */
  readonly filename: string
  readonly mediaType: string
  readonly bytes: AsyncIterable<Uint8Array>
}

/** Far more than a form needs: the parser works on each of them. */
const limits = {
  fields: 20,
  parts: 20,
  files: 1,
  fieldNameSize: 100,
  fieldSize: 1_000,
  headerPairs: 10,
  headerSize: 8_192,
}

/**
 * Reads a form (RFC 7578) with one file as it arrives. At most a few pieces of it are in memory.
 *
 * @param store must read all bytes of the file
 * @returns the other fields
 * @throws Fault form_missing, form_malformed, and what `store` throws
 */
export async function readMultipart(
  request: Request,
  store: (file: FormFile) => Promise<void>,
): Promise<ReadonlyMap<string, string>> {
  const parser = await openParser(request.headers.get('content-type') ?? '')
  const stop = new AbortController()
  const fields = new Map<string, string>()
  let stored: Promise<void> = Promise.resolve()
  const refuse = (problem: string, cause?: unknown) =>
    stop.abort(new Fault(faults.form_malformed, { problem }, { cause }))
  parser.on('field', (name: string | undefined, value: string, _: boolean, isCut: boolean) => {
    if (name === undefined) return refuse('has a field without a name')
    if (isCut) return refuse(`has a field longer than ${limits.fieldSize} bytes`)
    if (fields.has(name)) return refuse('has the same field twice')
    fields.set(name, value)
  })
  parser.on('file', (field: string | undefined, bytes, filename: string | undefined, _, type) => {
    // Without a listener an error would end the process. What `store` left unread is no error of the form.
    bytes.on('error', (error: Error) => {
      if (!bytes.destroyed) refuse('ends in the middle of a file', error)
    })
    if (!field || !filename) return refuse('has a file without a field or a name')
    // The form was refused for what precedes the file.
    if (stop.signal.aborted) return bytes.destroy()
    stop.signal.addEventListener('abort', () => bytes.destroy(), { once: true })
    const file = { field, filename, mediaType: type, bytes }
    stored = store(file).catch((error: unknown) => stop.abort(error))
  })
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    parser.on(limit, () => refuse('has too many parts'))
  // After the pipeline has failed, too.
  parser.on('error', (error: Error) => refuse('is not multipart/form-data', error))
  try {
    await pipeline(Readable.from(request.body ?? []), parser, { signal: stop.signal })
  } catch (error) {
    if (!stop.signal.aborted) stop.abort(error)
  }
  // The file's stream has ended, or is destroyed.
  await stored
  if (stop.signal.aborted) throw stop.signal.reason
  return fields
}

/** @throws Fault form_missing, form_malformed */
async function openParser(type: string): Promise<BusboyInstance> {
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(type)) throw new Fault(faults.form_missing)
  const { Busboy } = await import('@fastify/busboy')
  try {
    return new Busboy({ headers: { 'content-type': type }, limits })
  } catch (cause) {
    throw new Fault(faults.form_malformed, { problem: 'has no boundary' }, { cause })
  }
}

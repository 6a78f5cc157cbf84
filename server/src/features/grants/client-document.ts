import { Fault } from '#kernel/fault.ts'
import { parseBoundedJson } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import type { OauthClient } from './client.ts'
import { keepDocument } from './client-store.ts'
import { grantFaults } from './grant-faults.ts'
import { readClientMetadata, type ClientMetadata } from './read-metadata.ts'

/** How long a document is used before it is fetched again. */
const freshMs = 60 * 60 * 1000
const maxDocumentBytes = 10 * 1024

/**
 * A client whose id is the address of its own metadata (OAuth Client ID Metadata Document). A
 * stranger chose the address: it is fetched through `outbound`, without redirects, and every failure
 * looks the same to the caller, so that the answer does not reveal which hosts are reachable.
 *
 * @throws Fault client_unknown
 */
export async function readClientDocument(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'outbound' | 'log'>,
  id: string,
): Promise<OauthClient> {
  const metadata = await fetchDocument(ctx, id)
  const now = ctx.clock.now()
  await ctx.db.write((tx) =>
    keepDocument(tx, {
      id,
      kind: 'document',
      metadata_json: JSON.stringify(metadata),
      created_at: now,
      last_used_at: now,
      fresh_until: now + freshMs,
    }),
  )
  const { client_name: name, redirect_uris: redirectUris } = metadata
  return { id, kind: 'document', name, redirectUris }
}

async function fetchDocument(
  { config, outbound, log }: Pick<Context, 'config' | 'outbound' | 'log'>,
  id: string,
): Promise<ClientMetadata> {
  try {
    requireDocumentAddress(id)
    const { status, body } = await outbound.request(id, {
      headers: { accept: 'application/json' },
      httpsOnly: true,
      maxRedirects: 0,
      maxBytes: maxDocumentBytes,
      timeoutMs: 5_000,
    })
    if (status !== 200) throw new Error(`the document's host answered with status ${status}`)
    const document: unknown = parseBoundedJson(body.toString('utf8'))
    requireSameId(document, id)
    return readClientMetadata(config, document)
  } catch (cause) {
    log.info({ err: cause, client: id }, 'rejected a client metadata document')
    throw new Fault(grantFaults.client_unknown, {}, { cause })
  }
}

/** Accepts one spelling of an https address with a path, so that one client has one id. */
function requireDocumentAddress(id: string): void {
  const url = new URL(id)
  const isPlain = url.username === '' && url.password === '' && url.hash === ''
  if (url.href === id && isPlain && url.pathname !== '/' && id.length <= 2000) return
  throw new Error('not the address of a client metadata document')
}

function requireSameId(document: unknown, id: string): void {
  const isRecord = typeof document === 'object' && document !== null && 'client_id' in document
  if (isRecord && document.client_id === id) return
  throw new Error('the document describes another client')
}

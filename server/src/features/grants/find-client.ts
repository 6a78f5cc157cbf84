import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { clientMetadata, commandLineClient, type OauthClient } from './client.ts'
import { readClientDocument } from './client-document.ts'
import { findClientRow, type ClientRow } from './client-store.ts'
import { grantFaults } from './grant-faults.ts'
import { redirectMatches } from './redirect-address.ts'

type ClientContext = Pick<Context, 'db' | 'clock' | 'config' | 'outbound' | 'log'>

/** @throws Fault client_unknown */
async function requireClient(ctx: ClientContext, id: string): Promise<OauthClient> {
  if (id === commandLineClient.id) return commandLineClient
  const isDocument = id.startsWith('https://')
  if (isDocument && !ctx.config.oauthClientDocuments) throw new Fault(grantFaults.client_unknown)
  const row = await findClientRow(ctx.db.read, id)
  if (row !== undefined && isFresh(row, ctx.clock.now())) return clientFromRow(row)
  if (isDocument) return await readClientDocument(ctx, id)
  throw new Fault(grantFaults.client_unknown)
}

/**
 * The client that an authorization request names, and only if it may be sent where the request
 * says. Until both are known nobody is redirected anywhere (RFC 9700 §4.11).
 *
 * @throws Fault client_unknown, redirect_unregistered
 */
export async function requireRedirect(
  ctx: ClientContext,
  { clientId, redirectUri }: { readonly clientId: string; readonly redirectUri: string },
): Promise<OauthClient> {
  const client = await requireClient(ctx, clientId)
  if (redirectMatches(client.redirectUris, redirectUri)) return client
  throw new Fault(grantFaults.redirect_unregistered)
}

/**
 * The client of a token request, by what is stored of it. It was let in when the person was asked;
 * reading its document again would sign people out whenever that cannot be read, and would have
 * Parley visit any address that a stranger names.
 *
 * @throws Fault client_unknown
 */
export async function requireStoredClient(
  ctx: Pick<Context, 'db' | 'config'>,
  id: string,
): Promise<OauthClient> {
  const client = await findStoredClient(ctx, id)
  const isOff = client?.kind === 'document' && !ctx.config.oauthClientDocuments
  if (client === null || isOff) throw new Fault(grantFaults.client_unknown)
  return client
}

/** A client by what is stored of it, however old: for naming one that has been granted something. */
export async function findStoredClient(
  ctx: Pick<Context, 'db'>,
  id: string,
): Promise<OauthClient | null> {
  if (id === commandLineClient.id) return commandLineClient
  const row = await findClientRow(ctx.db.read, id)
  return row === undefined ? null : clientFromRow(row)
}

function isFresh({ fresh_until: until }: ClientRow, now: number): boolean {
  return until === null || until > now
}

function clientFromRow(row: ClientRow): OauthClient {
  const { client_name: name, redirect_uris: redirectUris } = clientMetadata.parse(
    JSON.parse(row.metadata_json),
  )
  return { id: row.id, kind: row.kind, name, redirectUris }
}

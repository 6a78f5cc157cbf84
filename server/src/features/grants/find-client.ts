import { z } from 'zod'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { commandLineClient, type OauthClient } from './client.ts'
import { readClientDocument } from './client-document.ts'
import { findClientRow, type ClientRow } from './client-store.ts'
import { grantFaults } from './grant-faults.ts'
import { hasPlainHost, redirectMatches } from './redirect-address.ts'

type ClientContext = Pick<Context, 'db' | 'clock' | 'config' | 'outbound' | 'log'>

/** @throws Fault client_unknown */
async function requireClient(ctx: ClientContext, id: string): Promise<OauthClient> {
  if (id === commandLineClient.id) return commandLineClient
  const isDocument = id.startsWith('https://')
  if (isDocument && !ctx.config.oauthClientDocuments) throw new Fault(grantFaults.client_unknown)
  const row = await findClientRow(ctx.db.read, id)
  const freshUntil = row?.fresh_until ?? Number.POSITIVE_INFINITY
  if (row !== undefined && freshUntil > ctx.clock.now()) return clientFromRow(row)
  if (isDocument) return await readClientDocument(ctx, id)
  throw new Fault(grantFaults.client_unknown)
}

/**
 * The client of an authorization request, if it has registered the request's redirect address. Until
 * both are known, the browser is not redirected (RFC 9700 §4.11).
 *
 * @throws Fault client_unknown, redirect_unregistered
 */
export async function requireRedirect(
  ctx: ClientContext,
  { clientId, redirectUri }: { readonly clientId: string; readonly redirectUri: string },
): Promise<OauthClient> {
  const client = await requireClient(ctx, clientId)
  const isRegistered = redirectMatches(client.redirectUris, redirectUri)
  if (isRegistered && hasPlainHost(redirectUri)) return client
  throw new Fault(grantFaults.redirect_unregistered)
}

/**
 * The client of a token request, as stored. It was checked when the person was asked. Fetching its
 * document again would sign people out whenever the fetch fails, and would make Parley visit any
 * address that a stranger names.
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

/** A client as stored, however old: for naming a client that has a grant. */
export async function findStoredClient(
  ctx: Pick<Context, 'db'>,
  id: string,
): Promise<OauthClient | null> {
  if (id === commandLineClient.id) return commandLineClient
  const row = await findClientRow(ctx.db.read, id)
  return row === undefined ? null : clientFromRow(row)
}

const storedMetadata = z.object({ client_name: z.string(), redirect_uris: z.array(z.string()) })

function clientFromRow(row: ClientRow): OauthClient {
  const { client_name: name, redirect_uris: redirectUris } = storedMetadata.parse(
    JSON.parse(row.metadata_json),
  )
  return { id: row.id, kind: row.kind, name, redirectUris }
}

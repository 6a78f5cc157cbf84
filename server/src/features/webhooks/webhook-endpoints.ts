import { requireRecordRoom } from '#features/quotas/index.ts'
import { randomBytes } from 'node:crypto'
import { requireAgent } from '#features/agents/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { CamelKeys } from '#kernel/key-case.ts'
import { pageById, type IdWindow, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { webhookFaults as faults } from './webhook-faults.ts'
import { addressOf, storedAddress } from './stored-address.ts'
import {
  findEndpoint,
  insertEndpoint,
  listEndpointRows,
  markEndpointDeleted,
  type EndpointRow,
} from './webhook-store.ts'

type WebhookEndpoint = Pick<CamelKeys<EndpointRow>, 'id' | 'agentId' | 'url' | 'createdAt'>

interface NewWebhookEndpoint extends WebhookEndpoint {
  /** The secret that signs events; shown once. */
  readonly secret: string
}

/**
 * Adds an endpoint that receives every order of an agent.
 *
 * @throws Fault record_not_found, webhook_url_invalid
 */
export function createWebhookEndpoint(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'vault'>,
  workspaceId: string,
  appId: string,
  url: string,
): Promise<NewWebhookEndpoint> {
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') throw new Fault(faults.webhook_url_invalid)
  const secret = `whsec_${randomBytes(32).toString('base64url')}`
  // Sealed before the unit: a unit may run twice.
  const [stored, secretSealed] = [storedAddress(ctx.vault, url), ctx.vault.seal(secret)]
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const agent = await requireAgent(tx, workspaceId, appId)
    const row: EndpointRow = {
      id: newId(now),
      workspace_id: workspaceId,
      agent_id: agent.id,
      ...stored,
      secret_sealed: secretSealed,
      created_at: now,
      deleted_at: null,
    }
    await requireRecordRoom(tx, ctx, 'webhooks_per_agent', agent.id)
    await insertEndpoint(tx, row)
    return { ...endpointFromRow(ctx, row), secret }
  })
}

/**
 * The endpoints that receive an agent's orders, oldest first.
 *
 * @throws Fault record_not_found
 */
export async function listWebhookEndpoints(
  ctx: Pick<Context, 'db' | 'vault'>,
  workspaceId: string,
  appId: string,
  page: PageRequest,
): Promise<Page<WebhookEndpoint>> {
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const rows = await listEndpointRows(ctx.db.read, workspaceId, agent.id)
  const read = async ({ limit, after = '' }: IdWindow) =>
    rows.filter(({ id }) => id > after).slice(0, limit)
  return await pageById(page, read, (row) => endpointFromRow(ctx, row))
}

/**
 * Removes an endpoint: its queued events are no longer delivered.
 *
 * @throws Fault record_not_found
 */
export function deleteWebhookEndpoint(
  ctx: Pick<Context, 'db' | 'clock' | 'vault'>,
  workspaceId: string,
  id: string,
): Promise<WebhookEndpoint> {
  return ctx.db.write(async (tx) => {
    const row = await findEndpoint(tx, workspaceId, id)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    await markEndpointDeleted(tx, id, ctx.clock.now())
    return endpointFromRow(ctx, row)
  })
}

function endpointFromRow({ vault }: Pick<Context, 'vault'>, row: EndpointRow): WebhookEndpoint {
  const { id, agent_id: agentId, created_at: createdAt } = row
  return { id, agentId, url: addressOf(vault, row), createdAt }
}

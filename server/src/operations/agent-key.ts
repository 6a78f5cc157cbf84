import { z } from 'zod'
import { agentWorkspace } from '#features/agents/index.ts'
import type { ApiKey } from '#features/api-keys/index.ts'
import type { Context } from '#platform/context.ts'
import { recordId, timestamp } from './operation.ts'

/** A key that works for one agent: of its chat API, or of its checkout. */
export const agentKey = z.strictObject({
  id: recordId,
  name: z.string(),
  app_id: recordId.nullable(),
  prefix: z.string(),
  last4: z.string().describe('The last four characters of the key'),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  last_used_at: timestamp.nullable().describe('To the minute'),
  revoked_at: timestamp.nullable(),
})

export function showAgentKey(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    app_id: key.agentId,
    prefix: key.prefix,
    last4: key.last4,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
  }
}

/** Where the agent is that a key is for. */
export function locateAgent(ctx: Context, input: { app_id: string }) {
  return agentWorkspace(ctx, input.app_id)
}

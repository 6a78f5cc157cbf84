import { z } from 'zod'
import { appId, recordId, timestamp } from '#operations/operation.ts'

const named = z.strictObject({
  id: recordId,
  name: z.string().nullable().describe('null: deleted, or not visible to you'),
})

/** What a developer key or a connected app is bound to. */
export const reach = z
  .strictObject({ workspaces: z.array(named), agents: z.array(named) })
  .nullable()
  .describe('What it is bound to; null: wherever its user may act')

/** What a new credential is bound to. */
export const pickedReach = {
  workspaces: z
    .array(recordId)
    .min(1)
    .max(100)
    .optional()
    .describe('Binds it to these workspaces; default: everywhere you may act'),
  agents: z.array(appId).min(1).max(100).optional().describe('Binds it to these agents'),
}

/** Which addresses may use a new key. */
export const allowedAddresses = z
  .array(z.string().trim().min(1).max(100))
  .min(1)
  .max(50)
  .optional()
  .describe('Addresses or networks in CIDR notation; default: any')

/** The last use of a key or a connected app. */
export const lastUse = {
  last_used_at: timestamp.nullable().describe('Accurate to the minute'),
  last_used_address: z.string().nullable().describe('IPv4 address or IPv6 network'),
  last_used_agent: z.string().nullable().describe('The User-Agent of that request'),
}

/** What every API key shows about its protection. */
export const keyProtection = {
  allowed_addresses: z.array(z.string()).nullable().describe('null: any address'),
  has_checksum: z.boolean().describe('Whether leak scanners can recognise the key'),
}

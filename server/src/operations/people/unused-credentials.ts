import { z } from 'zod'
import { credentialKinds, listUnusedCredentials } from '#features/grants/index.ts'
import { lastUse } from './key-fields.ts'
import {
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  peopleOnly,
  recordId,
  timestamp,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const credential = z.strictObject({
  id: recordId,
  kind: z.enum(credentialKinds),
  name: z.string(),
  app_id: recordId.nullable(),
  user_id: recordId,
  user_email: z.string().describe('The user who created or authorized it'),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  ...lastUse,
  is_bound: z.boolean().describe('false: it can act wherever its user may act'),
  has_checksum: z.boolean().nullable().describe('false: an earlier release created it'),
})

const show = showAs(credential)

export const unusedCredentialOperations = [
  defineOperation({
    name: 'list_unused_credentials',
    title: 'List unused keys and apps',
    description:
      'Lists the keys of a workspace, and the connected apps that start in it, that work but were not used for a number of days.',
    toolset: 'workspace',
    scope: 'workspace:read',
    role: 'admin',
    surfaces: peopleOnly,
    hints: hints.read,
    input: z.object({ days: z.int().min(1).max(3650).default(90), ...paging }),
    output: listOf(credential),
    run: async (ctx, { workspaceId }, { days, ...page }) =>
      listAnswer(await listUnusedCredentials(ctx, { workspaceId, days }, page), show),
  }),
]

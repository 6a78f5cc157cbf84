import { z } from 'zod'
import { listLimits } from '#features/quotas/index.ts'
import {
  defineOperation,
  hints,
  listAnswer,
  listOf,
  memberOf,
  paging,
  recordId,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const limitUse = z.strictObject({
  limit: z.string().describe('Its name, in LIMITS if the operator can change it'),
  things: z.string(),
  per: z.enum(['person', 'workspace', 'agent']),
  used: z.number(),
  allowed: z.number().nullable().describe('null is unlimited'),
  app_id: recordId.nullable().describe('Per agent: the one that uses the most'),
})

const show = showAs(limitUse)

export const limitOperations = [
  defineOperation({
    name: 'list_limits',
    title: 'List limits',
    description: 'Shows what a workspace uses of each limit of this instance.',
    toolset: 'workspace',
    scope: 'workspace:read',
    surfaces: ['dashboard', 'cli'],
    hints: hints.read,
    input: z.object(paging),
    output: listOf(limitUse),
    run: async (ctx, call, input) => listAnswer(await listLimits(ctx, memberOf(call), input), show),
  }),
]

import { z } from 'zod'
import { isOperator } from '#features/credits/index.ts'
import { listJobs } from '#features/jobs/index.ts'
import { atLeast } from '#kernel/actor.ts'
import { namedRecord, withRecords } from '#operations/named-record.ts'
import {
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  peopleOnly,
  timestamp,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const statuses = ['queued', 'running', 'done', 'failed'] as const

const job = z.strictObject({
  id: z.string(),
  kind: z.string().describe('knowledge.crawl, checkout.settle_charge, …'),
  target: z.string().nullable().describe('The id of the record that it works on'),
  record: namedRecord,
  status: z.enum(statuses).describe('failed: given up after its last attempt'),
  attempts: z.int(),
  next_run_at: timestamp.nullable().describe('When it is due; null once it runs or has ended'),
  last_error: z.string().nullable().describe('Shown only to operators of the instance'),
  created_at: timestamp,
  finished_at: timestamp.nullable(),
})

const show = showAs(job)

export const jobOperations = [
  defineOperation({
    name: 'list_jobs',
    title: 'List jobs',
    description:
      'Lists the background jobs of a workspace, newest first: reading sources, settling payments, sending webhooks and mail.',
    toolset: 'workspace',
    scope: 'workspace:read',
    surfaces: peopleOnly,
    hints: hints.read,
    input: z.object({ status: z.enum(statuses).optional(), ...paging }),
    output: listOf(job),
    async run(ctx, { actor, workspaceId, role }, { status, limit, cursor }) {
      const page = await listJobs(ctx, { workspaceId, status }, { limit, cursor })
      // Only operators see the error, because it may name hosts in the instance's network.
      const seesInvited = atLeast(role, 'admin')
      const seesErrors = await isOperator(ctx, actor.userId)
      return listAnswer(await withRecords(ctx, workspaceId, page), (listed) =>
        show({
          ...listed,
          // Only admins see whom an invitation is for.
          record: listed.record?.kind === 'invitation' && !seesInvited ? null : listed.record,
          lastError: seesErrors ? listed.lastError : null,
        }),
      )
    },
  }),
]

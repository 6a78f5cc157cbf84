import { z } from 'zod'
import { listAuditEvents, type EventFilter, type LoggedEvent } from '#features/audit/index.ts'
import { exportFormats, type ExportFormat } from '#kernel/csv-line.ts'
import {
  defineOperation,
  hints,
  listAnswer,
  listOf,
  moment,
  paging,
  peopleOnly,
  timestamp,
  varyOperation,
} from '#operations/operation.ts'
import { mentionedRecords, namedRecord, withMentions } from '#operations/named-record.ts'
import { showAs } from '#operations/show-as.ts'

const facts = z.record(z.string(), z.unknown()).nullable()

const auditEvent = z.strictObject({
  id: z.string(),
  at: timestamp,
  actor: z.strictObject({ id: z.string(), email: z.string().nullable() }).nullable(),
  face: z.string().describe('mcp, dashboard or cli; job for the service itself'),
  via: z
    .strictObject({ kind: z.string(), id: z.string(), client: z.string().nullable() })
    .nullable()
    .describe('The key or app that was used'),
  address: z.string().nullable(),
  request_id: z.string().nullable(),
  action: z.string(),
  target: z.string().nullable(),
  record: namedRecord,
  outcome: z.enum(['done', 'refused']),
  before: facts,
  after: facts,
  detail: facts,
  mentions: mentionedRecords,
})

const show = showAs(auditEvent)

/** Where an event can mention other records. */
function valuesOf({ via, before, after, detail }: LoggedEvent): unknown {
  return [via?.id, before, after, detail]
}

/** The filters of the list and of an export. */
export const auditFilter = {
  actor: z.string().max(254).optional().describe('A person’s id or e-mail'),
  action: z.string().max(100).optional().describe('The name of an operation'),
  target: z.string().max(200).optional().describe('The id of the record acted on'),
  outcome: z.enum(['done', 'refused']).optional(),
  from: moment.optional(),
  to: moment.optional(),
}

const listEvents = defineOperation({
  name: 'list_audit_events',
  title: 'List audit events',
  description:
    'Lists completed and refused operations of a workspace, newest first, with user, record, and values before and after.',
  toolset: 'workspace',
  scope: 'workspace:read',
  role: 'admin',
  surfaces: peopleOnly,
  hints: hints.read,
  input: z.object({ ...auditFilter, ...paging }),
  output: listOf(auditEvent),
  async run(ctx, { workspaceId }, { limit, cursor, ...filter }) {
    const page = await listAuditEvents(ctx, { ...filter, workspaceId }, { limit, cursor })
    const named = await withMentions(ctx, workspaceId, page, valuesOf)
    return listAnswer(named, show)
  },
})

/** An export with the checks of list_audit_events. It is recorded; `begin` then reads the rows. */
export function auditExport(begin: (filter: EventFilter, format: ExportFormat) => void) {
  return varyOperation(listEvents, {
    name: 'export_audit_events',
    input: z.object({ ...auditFilter, format: z.enum(exportFormats).default('csv') }),
    output: z.strictObject({}),
    run: async (_ctx, { workspaceId, record }, { format, ...filter }) => {
      await record(workspaceId)
      begin({ ...filter, workspaceId }, format)
      return {}
    },
  })
}

export const auditOperations = [listEvents]

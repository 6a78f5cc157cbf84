import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import {
  inputFor,
  recordKinds,
  recordsNamed,
  type RecordIds,
} from '#test/support/operation-inputs.ts'
import { createRecords } from '#test/tenancy/create-records.ts'
import { operations } from './catalogue.ts'
import { faultMessage } from './fault-wording.ts'
import type { Operation } from './operation.ts'
import { runOperation } from './run-operation.ts'

const inWorkspace = operations.filter(({ personal }) => !personal)
const named = inWorkspace.map((operation) => [operation.name, operation] as const)
const must = ({ input }: Operation, field: string) => !(input.shape[field]?.isOptional() ?? true)
const onRecord = named.filter(([, operation]) =>
  [...recordsNamed(operation).keys()].some((field) => must(operation, field)),
)
/** Each record that an operation names in addition to another, or optionally. */
const amongOwn = inWorkspace.flatMap((operation) => {
  const fields = [...recordsNamed(operation).keys()]
  const isAlone = fields.length === 1 && must(operation, fields[0] ?? '')
  return isAlone ? [] : fields.map((field) => [operation.name, field, operation] as const)
})
const personal = operations
  .filter((operation) => operation.personal && recordsNamed(operation).size > 0)
  .map((operation) => [operation.name, operation] as const)

/** Further input that an operation needs before it reads the record. */
const besides: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  set_credit_cap: { subject: 'agent' },
}

/** Tables with a workspace. */
const tables = [
  'memberships',
  'invitations',
  'agents',
  'api_keys',
  'oauth_grants',
  'model_providers',
  'knowledge_sources',
  'products',
  'commerce_settings',
  'checkout_sessions',
  'orders',
  'webhook_endpoints',
  'webhook_deliveries',
  'custom_actions',
  'agent_variables',
  'tool_servers',
  'chat_pages',
  'widget_loads',
  'chat_sessions',
  'chat_feedback',
  'chat_responses',
  'response_runs',
  'conversation_metadata',
  'credit_entries',
  'credit_caps',
  'jobs',
  'audit_events',
]

describeInstance('a stranger', (open) => {
  let instance: TestInstance
  let victim: Person
  let stranger: Person
  let records: RecordIds
  let own: RecordIds

  beforeAll(async () => {
    instance = await open()
    // The victim owns the first workspace, so the stranger is not an operator.
    victim = await instance.person()
    stranger = await instance.person()
    records = await createRecords(instance, victim)
    own = await createRecords(instance, stranger)
  })

  const nobodys = () => Object.fromEntries(recordKinds.map((kind) => [kind, newId()])) as RecordIds // All kinds are among them.

  /** The operation's fault or its result. */
  function outcome(operation: Operation, input: Record<string, unknown>): Promise<unknown> {
    const actor = actorOf(stranger, { surface: 'cli' })
    return runOperation(instance.ctx, actor, operation, input).catch((error: unknown) => error)
  }

  async function attempt(operation: Operation, input: Record<string, unknown>): Promise<Fault> {
    const said = await outcome(operation, input)
    if (said instanceof Fault) return said
    throw new Error(`${operation.name} answered ${JSON.stringify(said)}`, { cause: said })
  }

  /** All stored rows of the victim, to check that none changed. */
  async function snapshot() {
    const { read } = instance.ctx.db
    const { workspace_id: id, deleted_workspace_id: gone, session_id: session } = records
    const rows = tables.map((table) =>
      sql`select * from ${sql.table(table)} where workspace_id = ${id}`.execute(read),
    )
    return Promise.all([
      read.selectFrom('workspaces').selectAll().where('id', 'in', [id, gone]).execute(),
      read.selectFrom('chat_messages').selectAll().where('session_id', '=', session).execute(),
      ...rows,
    ])
  }

  describe('in another’s workspace', () => {
    test.each(named)('%s is refused, reveals nothing and changes nothing', async (_, operation) => {
      const before = await snapshot()
      const input = { ...inputFor(operation, records), workspace_id: victim.workspaceId }
      const fault = await attempt(operation, input)
      expect(fault).toMatchObject({ code: 'record_not_found', facts: {} })
      expect(await snapshot()).toEqual(before)
    })
  })

  describe('on another’s record', () => {
    test.each(onRecord)('%s is answered as if the record did not exist', async (_, operation) => {
      const before = await snapshot()
      const nowhere = await attempt(operation, inputFor(operation, nobodys()))
      const elsewhere = await attempt(operation, inputFor(operation, records))
      const misplaced = await attempt(operation, {
        ...inputFor(operation, records),
        workspace_id: stranger.workspaceId,
      })
      expect(nowhere).toMatchObject({ code: 'record_not_found' })
      for (const fault of [elsewhere, misplaced]) {
        expect(fault).toMatchObject({ code: nowhere.code, kind: nowhere.kind, facts: {} })
        expect(faultMessage(fault)).toBe(faultMessage(nowhere))
      }
      expect(await snapshot()).toEqual(before)
    })

    test.each(amongOwn)(
      '%s does not accept it as %s next to a record of one’s own',
      async (_, field, operation) => {
        const before = await snapshot()
        const fields = [...recordsNamed(operation)]
        const input = (theirs: RecordIds) => ({
          ...inputFor(operation, own),
          ...Object.fromEntries(fields.map(([name, kind]) => [name, own[kind]])),
          ...Object.fromEntries(
            fields.filter(([name]) => name === field).map(([name, kind]) => [name, theirs[kind]]),
          ),
          ...besides[operation.name],
        })
        const said = await outcome(operation, input(records))
        if (said instanceof Fault) expect(said).toMatchObject({ kind: 'not_found', facts: {} })
        else {
          expect(said).not.toBeInstanceOf(Error)
          expect(said).toEqual(await outcome(operation, input(nobodys())))
        }
        expect(await snapshot()).toEqual(before)
      },
    )

    test.each(onRecord.filter(([, { input }]) => 'app_id' in input.shape))(
      '%s does not find a guessed name id',
      async (_, operation) => {
        const agent = await instance.ctx.db.read
          .selectFrom('agents')
          .select('app_name_id')
          .where('id', '=', records.app_id)
          .executeTakeFirstOrThrow()
        const guessed = { ...records, app_id: agent.app_name_id }
        const fault = await attempt(operation, inputFor(operation, guessed))
        expect(fault).toMatchObject({ code: 'record_not_found', facts: {} })
      },
    )

    test.each(personal)('%s is answered as if the record did not exist', async (_, operation) => {
      const before = await snapshot()
      const theirs = await attempt(operation, inputFor(operation, records))
      const nowhere = await attempt(operation, inputFor(operation, nobodys()))
      expect(theirs).toMatchObject({ code: nowhere.code, kind: nowhere.kind, facts: {} })
      expect(['record_not_found', 'operator_required']).toContain(theirs.code)
      expect(await snapshot()).toEqual(before)
    })
  })

  test('is recorded in the caller’s own audit log, not in the other’s', async () => {
    const operation = inWorkspace.find(({ name }) => name === 'delete_app')!
    await attempt(operation, { app_id: records.app_id })
    const trace = await instance.ctx.db.read
      .selectFrom('audit_events')
      .selectAll()
      .where('action', '=', 'delete_app')
      .execute()
    expect(trace.length).toBeGreaterThan(0)
    for (const { workspace_id, user_id, outcome: how } of trace) {
      expect({ workspace_id, user_id, outcome: how }).toEqual({
        workspace_id: stranger.workspaceId,
        user_id: stranger.userId,
        outcome: 'refused',
      })
    }
  })
})

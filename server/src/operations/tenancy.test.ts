import { beforeAll, describe, expect, test } from 'vitest'
import { createAction, setVariable } from '#features/actions/index.ts'
import { createAgent } from '#features/agents/index.ts'
import { createChatKey } from '#features/api-keys/index.ts'
import { upsertProduct } from '#features/catalog/index.ts'
import type { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { inviteMember } from '#features/members/index.ts'
import { actorOf, describeGround, type Ground, type Person } from '#test/support/ground.ts'
import { inputFor, recordFields } from '#test/support/operation-inputs.ts'
import { operations } from './catalogue.ts'
import { faultMessage } from './fault-wording.ts'
import type { Operation } from './operation.ts'
import { runOperation } from './run-operation.ts'

const toolServer = {
  name: 'secret',
  url: 'https://a.b/mcp',
  headers_sealed: null,
  header_names_json: '[]',
  allowed_tools_json: null,
  requires_confirmation: 0,
  timeout_ms: 1000,
  tools_json: '[]',
  listed_at: 1,
  error_code: null,
  updated_at: 1,
}

const inWorkspace = operations.filter(({ personal }) => !personal)
const named = inWorkspace.map((operation) => [operation.name, operation] as const)
const onRecord = named.filter(([, operation]) =>
  recordFields.some((field) => field in operation.input.shape),
)

describeGround('a stranger', (open) => {
  let ground: Ground
  let victim: Person
  let stranger: Person
  let records: Readonly<Record<string, string>>

  beforeAll(async () => {
    ground = await open()
    victim = await ground.person()
    stranger = await ground.person()
    records = await layRecords()
  })

  /** One record of each kind in the victim's workspace. */
  async function layRecords() {
    const agent = await createAgent(ground.ctx, victim, { name: 'Secret agent' })
    const key = await createChatKey(ground.ctx, victim, { appId: agent.id, name: 'Secret key' })
    const goods = { name: 'Secret', price_amount: 1 }
    const product = await upsertProduct(ground.ctx, victim.workspaceId, agent.id, goods)
    const action = await createAction(ground.ctx, victim.workspaceId, agent.id, {
      name: 'secret',
      description: 'Secret',
      method: 'GET',
      url: 'https://example.com/secret',
    })
    const secret = { appId: agent.id, name: 'SECRET', kind: 'secret', value: 'hidden' } as const
    await setVariable(ground.ctx, victim.workspaceId, secret)
    const invitation = await inviteMember(ground.ctx, victim, { role: 'viewer' })
    const session = newId()
    const source = newId()
    const server = newId()
    await ground.ctx.db.write(async (tx) => {
      const place = { workspace_id: victim.workspaceId, agent_id: agent.id, created_at: 1 }
      const unlocked = { lease_token: null, lease_until: 0, end_user: null }
      const talk = { id: session, agent_version: 1, source: 'api', message_count: 0 }
      await tx
        .insertInto('chat_sessions')
        .values({ ...place, ...unlocked, ...talk, last_message_at: 1 })
        .execute()
      await tx
        .insertInto('tool_servers')
        .values({ ...place, ...toolServer, id: server })
        .execute()
      const sizes = { byte_length: 0, sha256: '', chunk_count: 0, token_count: 0 }
      const text = { id: source, kind: 'text', title: 'Secret', url: null, status: 'ready' }
      await tx
        .insertInto('knowledge_sources')
        .values({ ...place, ...sizes, ...text, error_code: null, updated_at: 1 })
        .execute()
    })
    return {
      app_id: agent.id,
      id: key.id,
      session_id: session,
      source_id: source,
      product_id: product.id,
      action_id: action.id,
      server_id: server,
      user_id: victim.userId,
      invitation_id: invitation.id,
    }
  }

  async function attempt(operation: Operation, input: Record<string, unknown>) {
    const actor = actorOf(stranger, { face: 'cli' })
    return runOperation(ground.ctx, actor, operation, input).then(
      (answer) => {
        throw new Error(`${operation.name} answered ${JSON.stringify(answer)}`)
      },
      (error: unknown) => error as Fault, // Anything else fails the comparison.
    )
  }

  /** Everything stored of the victim, to see that nothing moved. */
  async function snapshot() {
    const { read } = ground.ctx.db
    const of = victim.workspaceId
    return Promise.all([
      read.selectFrom('workspaces').selectAll().where('id', '=', of).execute(),
      read.selectFrom('memberships').selectAll().where('workspace_id', '=', of).execute(),
      read.selectFrom('invitations').selectAll().where('workspace_id', '=', of).execute(),
      read.selectFrom('agents').selectAll().where('workspace_id', '=', of).execute(),
      read.selectFrom('api_keys').selectAll().where('workspace_id', '=', of).execute(),
      read.selectFrom('model_providers').selectAll().where('workspace_id', '=', of).execute(),
      read.selectFrom('knowledge_sources').selectAll().where('workspace_id', '=', of).execute(),
      read.selectFrom('products').selectAll().where('workspace_id', '=', of).execute(),
      read.selectFrom('custom_actions').selectAll().where('workspace_id', '=', of).execute(),
      read.selectFrom('agent_variables').selectAll().where('workspace_id', '=', of).execute(),
      read.selectFrom('tool_servers').selectAll().where('workspace_id', '=', of).execute(),
      read.selectFrom('chat_sessions').selectAll().where('workspace_id', '=', of).execute(),
      read.selectFrom('credit_caps').selectAll().where('workspace_id', '=', of).execute(),
      read.selectFrom('audit_events').selectAll().where('workspace_id', '=', of).execute(),
    ])
  }

  describe('in another’s workspace', () => {
    test.each(named)('%s is refused, tells nothing and changes nothing', async (_, operation) => {
      const before = await snapshot()
      const input = { ...inputFor(operation, records), workspace_id: victim.workspaceId }
      const fault = await attempt(operation, input)
      expect(fault).toMatchObject({ code: 'record_not_found', facts: {} })
      expect(await snapshot()).toEqual(before)
    })
  })

  describe('on another’s record', () => {
    test.each(onRecord)('%s is answered as if there were none', async (_, operation) => {
      const before = await snapshot()
      const unknown = Object.fromEntries(recordFields.map((field) => [field, newId()]))
      const nowhere = await attempt(operation, inputFor(operation, unknown))
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

    test.each(onRecord.filter(([, { input }]) => 'app_id' in input.shape))(
      '%s takes a guessed name id for none',
      async (_, operation) => {
        const agent = await ground.ctx.db.read
          .selectFrom('agents')
          .select('app_name_id')
          .where('id', '=', records.app_id!)
          .executeTakeFirstOrThrow()
        const guessed = { ...records, app_id: agent.app_name_id }
        const fault = await attempt(operation, inputFor(operation, guessed))
        expect(fault).toMatchObject({ code: 'record_not_found', facts: {} })
      },
    )
  })

  test('leaves a trace in their own audit log, none in the other’s', async () => {
    const operation = inWorkspace.find(({ name }) => name === 'delete_app')!
    await attempt(operation, { app_id: records.app_id })
    const trace = await ground.ctx.db.read
      .selectFrom('audit_events')
      .selectAll()
      .where('action', '=', 'delete_app')
      .execute()
    expect(trace.length).toBeGreaterThan(0)
    for (const { workspace_id, user_id, outcome } of trace) {
      expect({ workspace_id, user_id, outcome }).toEqual({
        workspace_id: stranger.workspaceId,
        user_id: stranger.userId,
        outcome: 'refused',
      })
    }
  })
})

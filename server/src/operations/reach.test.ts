import { beforeAll, describe, expect, test } from 'vitest'
import { createWorkspace } from '#features/workspaces/index.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Reach } from '#kernel/reach.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import {
  inputFor,
  recordKinds,
  recordsNamed,
  type RecordIds,
} from '#test/support/operation-inputs.ts'
import { createRecords } from '#test/tenancy/create-records.ts'
import { readAllRows } from '#test/tenancy/read-all-rows.ts'
import { operations } from './catalogue.ts'
import { faultMessage } from './fault-wording.ts'
import type { Operation } from './operation.ts'
import { runOperation, workspaceOf } from './run-operation.ts'

const rows = (some: readonly Operation[]) => some.map((one) => [one.name, one] as const)
const inWorkspace = operations.filter(({ personal }) => !personal)
const ofAgent = inWorkspace.filter(({ actsOn }) => actsOn?.placeOf !== undefined)
const isOptional = ({ input }: Operation, field: string) => input.shape[field]?.isOptional() ?? true
/** Records that an operation names in addition to another, or optionally. */
const besides = ofAgent.flatMap((operation) =>
  [...recordsNamed(operation).keys()]
    .filter((field) => field !== operation.actsOn?.field || isOptional(operation, field))
    .map((field) => [operation.name, field, operation] as const),
)

describeInstance('a credential with bounds', (open) => {
  let instance: TestInstance
  let person: Person
  /** Three agents with a record of each kind: two in one workspace, the third in another. */
  let a: RecordIds
  let b: RecordIds
  let elsewhere: RecordIds
  let before: unknown
  let toAgent: Reach
  let toWorkspace: Reach

  beforeAll(async () => {
    instance = await open({ DEFAULT_PLAN: 'builder' })
    person = await instance.person()
    const other = await createWorkspace(instance.ctx, person.userId, { name: 'Other' })
    a = await createRecords(instance, person)
    b = await createRecords(instance, person)
    elsewhere = await createRecords(instance, { ...person, workspaceId: other.id })
    toAgent = { workspaces: [], agents: { [a.app_id]: person.workspaceId } }
    toWorkspace = { workspaces: [person.workspaceId], agents: {} }
    before = await readAllRows(instance.ctx.db.read)
  })

  const nobodys = () => Object.fromEntries(recordKinds.map((kind) => [kind, newId()])) as RecordIds // All kinds are among them.

  function outcome(reach: Reach, operation: Operation, input: object): Promise<unknown> {
    const actor = actorOf(person, { surface: 'cli', reach })
    return runOperation(instance.ctx, actor, operation, input).catch((error: unknown) => error)
  }

  async function refusal(reach: Reach, operation: Operation, input: object): Promise<Fault> {
    const said = await outcome(reach, operation, input)
    if (said instanceof Fault) return said
    throw new Error(`${operation.name} answered ${JSON.stringify(said)}`, { cause: said })
  }

  async function expectNotFound(reach: Reach, operation: Operation, input: object) {
    const nowhere = await refusal(reach, operation, inputFor(operation, nobodys()))
    const fault = await refusal(reach, operation, input)
    expect(fault).toMatchObject({ code: 'record_not_found', facts: {} })
    expect(faultMessage(fault)).toBe(faultMessage(nowhere))
  }

  // First: refused attempts, which the audit log shows with the ids that they named, come later.
  describe.each(['agent', 'workspace'] as const)('for one %s', (kind) => {
    test.each(rows(operations.filter(({ hints }) => hints.readOnly)))(
      '%s shows nothing beyond it',
      async (_, operation) => {
        const reach = kind === 'agent' ? toAgent : toWorkspace
        const said = await outcome(reach, operation, inputFor(operation, a))
        expectOnly(said, kind === 'agent' ? [b, elsewhere] : [elsewhere])
        if (['agent', 'part'].includes(operation.reach))
          expect(said).not.toMatchObject({ kind: expect.stringMatching(/not_found|forbidden/) })
      },
    )
  })

  describe('for one agent', () => {
    test.each(rows(ofAgent))('%s does not find another agent’s record', async (_, operation) => {
      for (const theirs of [b, elsewhere]) {
        const input = inputFor(operation, theirs)
        await expectNotFound(toAgent, operation, input)
        for (const workspace_id of [a.workspace_id, elsewhere.workspace_id])
          await expectNotFound(toAgent, operation, { ...input, workspace_id })
      }
    })

    test.each(besides)(
      '%s does not accept another agent’s record as %s',
      async (_, field, operation) => {
        const named = [...recordsNamed(operation)]
        const input = (theirs: RecordIds) => ({
          ...inputFor(operation, a),
          ...Object.fromEntries(named.map(([name, kind]) => [name, a[kind]])),
          ...Object.fromEntries(
            named.filter(([name]) => name === field).map(([name, kind]) => [name, theirs[kind]]),
          ),
        })
        for (const theirs of [b, elsewhere]) {
          const said = await outcome(toAgent, operation, input(theirs))
          if (said instanceof Fault) expect(said).toMatchObject({ kind: 'not_found', facts: {} })
          else expect(said).toEqual(await outcome(toAgent, operation, input(nobodys())))
        }
      },
    )

    test.each(rows(inWorkspace))('%s does not enter another workspace', async (_, operation) => {
      const input = { ...inputFor(operation, a), workspace_id: elsewhere.workspace_id }
      expect(await refusal(toAgent, operation, input)).toMatchObject({
        code: 'record_not_found',
        facts: {},
      })
    })

    test.each(rows(inWorkspace.filter(({ reach }) => !['agent', 'part'].includes(reach))))(
      '%s, which needs the whole workspace, is refused',
      async (_, operation) => {
        const fault = await refusal(toAgent, operation, inputFor(operation, a))
        expect(fault).toMatchObject({ code: 'credential_bound', facts: {} })
      },
    )
  })

  describe('for one workspace', () => {
    test.each(rows(inWorkspace))('%s does not enter another workspace', async (_, operation) => {
      const input = { ...inputFor(operation, elsewhere), workspace_id: elsewhere.workspace_id }
      const fault = await refusal(toWorkspace, operation, input)
      expect(['record_not_found', 'credential_bound']).toContain(fault.code)
      if (operation.reach !== 'everything') expect(fault.code).toBe('record_not_found')
    })

    test.each(rows(ofAgent))('%s does not find a record elsewhere', async (_, operation) => {
      const input = inputFor(operation, elsewhere)
      await expectNotFound(toWorkspace, operation, input)
      const workspace_id = a.workspace_id
      await expectNotFound(toWorkspace, operation, { ...input, workspace_id })
    })
  })

  test.each(rows(operations.filter(({ personal, reach }) => personal && reach === 'everything')))(
    '%s, which belongs to no workspace, is refused',
    async (_, operation) => {
      for (const reach of [toAgent, toWorkspace]) {
        const fault = await refusal(reach, operation, inputFor(operation, a))
        expect(fault).toMatchObject({ code: 'credential_bound', facts: {} })
      }
    },
  )

  test('only these operations serve a credential that reaches part of a workspace', () => {
    const names = operations.filter(({ reach }) => reach === 'part').map(({ name }) => name)
    expect(names.toSorted()).toEqual([
      'get_workspace',
      'list_apps',
      'list_models',
      'list_workspaces',
      'search_documentation',
      'whoami',
    ])
  })

  test('a limit that depends on the workspace does not reveal where a record is', async () => {
    const operation = operations.find(({ name }) => name === 'get_app')
    if (operation === undefined) throw new Error('no get_app')
    const reach = {
      workspaces: [],
      agents: { ...toAgent.agents, [newId()]: elsewhere.workspace_id },
    }
    const attempt = { ctx: instance.ctx, actor: actorOf(person, { reach }), operation }
    for (const app_id of [elsewhere.app_id, newId()])
      expect(await workspaceOf(attempt, { app_id })).toBe(person.workspaceId)
  })

  test('nothing was changed by all of these', async () => {
    expect(await readAllRows(instance.ctx.db.read)).toEqual(before)
  })

  function expectOnly(said: unknown, others: readonly RecordIds[]) {
    const text = JSON.stringify(said)
    const shared = new Set(Object.values(a))
    for (const other of others)
      for (const [kind, id] of Object.entries(other))
        if (!shared.has(id)) expect(text, `${kind} of another`).not.toContain(id)
  }
})

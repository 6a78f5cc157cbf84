import { beforeAll, describe, expect, test } from 'vitest'
import { createDeveloperKey } from '#features/api-keys/index.ts'
import { cliActor } from '#features/identity/index.ts'
import { changeMemberRole } from '#features/members/index.ts'
import { atLeast, roles, type Role } from '#kernel/actor.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { namedScopes, type NamedScope, type Scope } from '#kernel/scope.ts'
import { operations } from '#operations/catalogue.ts'
import { faultMessage } from '#operations/fault-wording.ts'
import type { Operation } from '#operations/operation.ts'
import { runOperation } from '#operations/run-operation.ts'
import { grantFlow } from '#test/support/identity/oauth-flow.ts'
import { inputFor, recordKinds } from '#test/support/operation-inputs.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'

/** A call that the role allows then fails because the record does not exist. */
const unknownRecords = Object.fromEntries(recordKinds.map((field) => [field, newId()]))

/** Inputs for operations that would otherwise reach another server. */
const harmless: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  set_provider: { provider: 'extractive' },
}

const inWorkspace = operations.filter(({ personal }) => !personal)

const lastOfAll = (operation: Operation) => operation.name === 'leave_workspace'
const ordered = [
  ...inWorkspace.filter((operation) => !lastOfAll(operation)),
  ...inWorkspace.filter(lastOfAll),
]

/** A member of another person's workspace, with each credential that acts for them. */
interface Insider {
  readonly userId: string
  readonly email: string
  readonly workspaceId: string
  readonly cookie: string
  readonly key: string
  readonly token: string
}

/** `cli` is the command line, which names a person. */
const credentials = ['session', 'key', 'token', 'cli'] as const
type Credential = (typeof credentials)[number]
const surfaceOf = { session: 'dashboard', key: 'mcp', token: 'mcp', cli: 'cli' } as const

describeSignIn('roles', (open) => {
  let service: SignInService
  let people = 0

  beforeAll(async () => {
    service = await open({ DEFAULT_PLAN: 'enterprise' })
  })

  async function insider(role: Role, scopes: readonly Scope[] = ['*']): Promise<Insider> {
    people += 1
    const [host, guest] = [
      await service.account(`host-${people}`),
      await service.account(`guest-${people}`),
    ]
    const person = { ...guest, name: 'Guest', workspaceId: host.workspaceId }
    await service.join(person, host.workspaceId, role)
    const holder = { ...person, role }
    const { key } = await createDeveloperKey(service.ctx, holder, { name: 'key', scopes })
    const { accessToken } = await grantFlow(service, person, { scope: scopes.join(' ') })
    const browser = await service.signedIn(guest)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const { userId, email, workspaceId } = person
    return { userId, email, workspaceId, cookie, key, token: accessToken }
  }

  /** The answer of an operation to a credential, as text. */
  async function run(who: Insider, credential: Credential, operation: Operation) {
    const workspace_id = who.workspaceId
    const input = { ...inputFor(operation, unknownRecords), ...harmless[operation.name] }
    if (credential === 'session') {
      const headers = { cookie: who.cookie, origin: 'http://localhost:3000' }
      const path = `/api/dashboard/operations/${operation.name}`
      return await (await service.post(path, { ...input, workspace_id }, headers)).text()
    }
    if (credential === 'cli') {
      const actor = await cliActor(service.ctx, who.email)
      const answer = runOperation(service.ctx, actor, operation, { ...input, workspace_id })
      return await answer.then((found) => JSON.stringify(found), inWords)
    }
    const call = { name: operation.name, arguments: { ...input, workspace_id } }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }
    const headers = { authorization: `Bearer ${who[credential]}` }
    return await (await service.post('/mcp', body, headers)).text()
  }

  function inWords(error: unknown): string {
    if (error instanceof Fault) return faultMessage(error)
    throw error
  }

  const refusal = ({ role }: Operation, mine: Role) =>
    `Your role here is ${mine}; this needs ${role}`

  describe.each(roles)('as %s', (role) => {
    test.each(credentials)(
      'a %s runs exactly the operations in the table of roles',
      async (credential) => {
        const who = await insider(role)
        const surface = surfaceOf[credential]
        for (const operation of ordered) {
          const said = await run(who, credential, operation)
          if (!operation.surfaces.includes(surface)) {
            expect([operation.name, said]).toEqual([
              operation.name,
              expect.stringMatching(/unknown|not found|no such|-32602|There is no/i),
            ])
            continue
          }
          const isAllowed = atLeast(role, operation.role)
          const isRefused = said.includes(refusal(operation, role))
          expect([operation.name, isRefused, said]).toEqual([operation.name, !isAllowed, said])
        }
      },
      60_000,
    )
  })

  test('no role allows an operator’s operations, and the attempt is recorded', async () => {
    const who = await insider('owner')
    const forOperators = operations.filter(({ operatorOnly }) => operatorOnly)
    for (const operation of forOperators) {
      const input = inputFor(operation, { ...unknownRecords, model: 'openai/mock' })
      const actor = await cliActor(service.ctx, who.email)
      const said = runOperation(service.ctx, actor, operation, input).then(JSON.stringify, inWords)
      expect([operation.name, await said]).toEqual([
        operation.name,
        expect.stringContaining('Only operators of this instance'),
      ])
    }
    const refused = await service.ctx.db.read
      .selectFrom('audit_events')
      .select('action')
      .where('user_id', '=', who.userId)
      .where('outcome', '=', 'refused')
      .execute()
    expect(refused.map(({ action }) => action).toSorted()).toEqual(
      forOperators.map(({ name }) => name).toSorted(),
    )
  })

  test('a changed role applies to the person’s key and token from the next request on', async () => {
    const who = await insider('editor')
    const owner = await service.ctx.db.read
      .selectFrom('memberships')
      .select('user_id')
      .where('workspace_id', '=', who.workspaceId)
      .where('role', '=', 'owner')
      .executeTakeFirstOrThrow()
    const create = operations.find(({ name }) => name === 'create_app')
    if (create === undefined) throw new Error('create_app is gone')
    const actor = { userId: owner.user_id, workspaceId: who.workspaceId }
    for (const role of ['viewer', 'editor', 'viewer'] as const) {
      await changeMemberRole(service.ctx, actor, { userId: who.userId, role })
      for (const credential of credentials) {
        const said = await run(who, credential, create)
        expect([credential, said.includes('Your role here is')]).toEqual([
          credential,
          role === 'viewer',
        ])
      }
    }
  })

  test('an owner’s key and token cannot exceed their scopes', async () => {
    const named = Object.keys(namedScopes) as NamedScope[] // The keys of a literal.
    for (const missing of named) {
      const who = await insider(
        'owner',
        named.filter((scope) => scope !== missing),
      )
      const needing = inWorkspace.filter(
        ({ scope, surfaces }) => scope === missing && surfaces.includes('mcp'),
      )
      for (const operation of needing)
        for (const credential of ['key', 'token'] as const) {
          const said = await run(who, credential, operation)
          expect([operation.name, said]).toEqual([
            operation.name,
            expect.stringContaining(`Scope not authorized`),
          ])
        }
    }
  }, 60_000)
})

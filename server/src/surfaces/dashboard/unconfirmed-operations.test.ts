import { beforeAll, describe, expect, test } from 'vitest'
import { inviteMember } from '#features/members/index.ts'
import { operations } from '#operations/catalogue.ts'
import type { Operation } from '#operations/operation.ts'
import { inputFor } from '#test/support/operation-inputs.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'
import { asPage, createTenant, type Tenant } from '#test/tenancy/tenant.ts'
import { countRows } from '#test/security/count-rows.ts'

const critical = operations.filter(({ needsConfirmation }) => needsConfirmation !== false)
const rows = critical.map((operation) => [operation.name, operation] as const)

/** Values with which an operation needs a confirmation that other values do not need. */
const needing: Readonly<Record<string, object>> = {
  change_member_role: { role: 'owner' },
  invite_member: { role: 'admin' },
  resend_invitation: {},
  set_provider: { api_key: 'a key of the thief' },
  update_chat_page: { identity_jwks_url: 'https://thief.example/keys' },
}

describeSignIn('a session of more than ten minutes, in the hands of a thief', (open) => {
  let service: SignInService
  let tenant: Tenant
  let invitationId: string
  let before: Readonly<Record<string, number>>

  beforeAll(async () => {
    service = await open()
    tenant = await createTenant(service, 'stolen')
    invitationId = (await inviteMember(service.ctx, tenant, { role: 'admin' })).id
    service.advance(10 * 60_000)
    before = await countRows(service.ctx.db, ['audit_events', 'rate_limits', 'windows'])
  })

  const inputOf = (operation: Operation) => {
    const known = { app_id: tenant.appId, invitation_id: invitationId }
    const ids = new Proxy<Record<string, string>>(known, {
      get: (own, name) => own[String(name)] ?? tenant.workspaceId,
    })
    const isConditional = typeof operation.needsConfirmation === 'function'
    if (isConditional && !(operation.name in needing))
      throw new Error(`add values with which ${operation.name} needs a confirmation`)
    return { ...inputFor(operation, ids), ...needing[operation.name] }
  }
  const call = async (operation: Operation, { headers }: RequestInit) => {
    const path = `/api/dashboard/operations/${operation.name}`
    const sent = Object(headers) as Record<string, string> // `asPage` returns a plain object.
    const response = await service.post(path, inputOf(operation), sent)
    return { status: response.status, text: await response.text() }
  }

  describe('runs no critical operation', () => {
    test.each(rows)('%s asks for a confirmation', async (_, operation) => {
      const { status, text } = await call(operation, asPage(tenant))
      expect(status).toBe(403)
      expect(text).toContain('"confirmation_required"')
    })

    test.each(rows)('%s accepts no other credential beside the session', async (_, operation) => {
      for (const key of [tenant.developerKey, tenant.accessToken, tenant.chatKey, tenant.acpKey]) {
        const authorization = `Bearer ${key}`
        const both = asPage(tenant, { headers: { authorization } })
        expect((await call(operation, both)).status).toBe(403)
        const alone = asPage({ browser: service.browser() }, { headers: { authorization } })
        expect((await call(operation, alone)).status).toBe(401)
      }
    })

    test.each(rows)('%s does not open at another surface for the session', async (_, operation) => {
      const params = { name: operation.name, arguments: inputOf(operation) }
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const { headers } = asPage(tenant)
      const sent = Object(headers) as Record<string, string> // As above.
      expect((await service.post('/mcp', message, sent)).status).toBe(401)
    })
  })

  test('left nothing behind', async () => {
    const after = await countRows(service.ctx.db, ['audit_events', 'rate_limits', 'windows'])
    expect(after).toEqual(before)
  })
})

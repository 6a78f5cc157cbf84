import { z } from 'zod'
import { beginConfirmation, confirmSession, type Confirmation } from '#features/identity/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { readJson } from '#surfaces/http/api-request.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { countedSession } from './acting-person.ts'
import type { ConfirmationWays } from './page-answers.ts'

/**
 * POST /api/dashboard/confirmation/begin: how the person can confirm that it is them. It is no GET,
 * because it stores a passkey's challenge.
 */
export async function beginConfirming(ctx: Context, c: Http): Promise<Response> {
  const { password, factor } = await beginConfirmation(ctx, await countedSession(ctx, c))
  const isAtProvider = !password && factor === null
  const ways: ConfirmationWays = {
    password,
    code: factor !== null,
    app: factor?.hasApp ?? false,
    passkey: factor?.passkey === null || factor === null ? null : { ...factor.passkey },
    provider: isAtProvider
      ? { name: ctx.config.oidcName, path: pathTo(ctx.config, '/login/oidc', { again: 'true' }) }
      : null,
  }
  return c.json(ways)
}

const given = z.union([
  z.strictObject({ password: z.string().max(2000) }),
  z.strictObject({ code: z.string().max(200) }),
  z.strictObject({ passkey: z.string().max(20_000).describe('The browser’s answer as JSON') }),
])

/** POST /api/dashboard/confirmation: the person of this session proves again who they are. */
export async function confirm(ctx: Context, c: Http): Promise<Response> {
  const session = await countedSession(ctx, c)
  const parsed = given.safeParse(await readJson(c.req, ctx.config.maxBodyBytes))
  if (!parsed.success)
    throw new Fault(commonFaults.invalid_input, { issues: ['give password, code or passkey'] })
  await confirmSession(ctx, session, confirmationIn(parsed.data))
  return c.json({})
}

function confirmationIn(input: z.output<typeof given>): Confirmation {
  if ('password' in input) return { kind: 'password', password: input.password }
  if ('code' in input) return { kind: 'code', code: input.code }
  return { kind: 'passkey', answer: input.passkey }
}

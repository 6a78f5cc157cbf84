import type { Context as HonoContext } from 'hono'
import { signIn } from '#features/identity/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { formToken, requireFormToken } from '#surfaces/http/form-token.ts'
import { answerPage } from '#surfaces/http/page.ts'
import { readForm } from '#surfaces/http/read-form.ts'
import { requireSameOrigin } from '#surfaces/http/same-origin.ts'
import { readSession, visitorOf, writeSession } from '#surfaces/http/signed-in.ts'
import { toPageFault } from './account-faults.ts'
import { returnPath } from './home.ts'
import { loginPage } from './login-pages.ts'

type Http = HonoContext<HttpEnvironment>

const purpose = 'login'

/** GET /login: the form; who is signed in goes straight on. */
export async function showLogin(ctx: Context, c: Http): Promise<Response> {
  const returnTo = returnPath(ctx.config, c.req.query('return_to'))
  if ((await readSession(ctx, c)) !== null) return c.redirect(returnTo, 303)
  return await answerLogin(ctx, c, { returnTo, email: '' })
}

/** POST /login */
export async function logIn(ctx: Context, c: Http): Promise<Response> {
  requireSameOrigin(c, ctx.config)
  const form = await readForm(c.req)
  requireFormToken(ctx, c, purpose, form.get('form_token') ?? undefined)
  const returnTo = returnPath(ctx.config, form.get('return_to') ?? undefined)
  const email = form.get('email') ?? ''
  const password = form.get('password') ?? ''
  try {
    writeSession(ctx, c, await signIn(ctx, { email, password }, visitorOf(ctx, c)))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    ctx.log.info({ code: error.code, address: visitorOf(ctx, c).address }, 'a sign-in was refused')
    return await answerLogin(ctx, c, { returnTo, email, error })
  }
  return c.redirect(returnTo, 303)
}

async function answerLogin(
  ctx: Context,
  c: Http,
  input: { readonly returnTo: string; readonly email: string; readonly error?: Fault },
): Promise<Response> {
  const { returnTo, email, error } = input
  const fault = error === undefined ? null : toPageFault(error)
  if (fault?.retryAfterSeconds !== undefined)
    c.header('Retry-After', String(fault.retryAfterSeconds))
  const token = formToken(ctx, c, purpose)
  const page = loginPage(ctx.config, { token, returnTo, email, problem: fault?.message ?? null })
  return await answerPage(c, ctx.config, page, fault?.status ?? 200)
}

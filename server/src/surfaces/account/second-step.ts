import { html } from 'hono/html'
import { beginSecondStep, finishSignIn, identityFaults } from '#features/identity/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { readTokenCookie } from '#surfaces/http/cookies.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { formToken, requireFormToken } from '#surfaces/http/form-token.ts'
import { answerPage, problemBox } from '#surfaces/http/page.ts'
import { readOwnForm } from '#surfaces/http/read-form.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { visitorOf, writeSession } from '#surfaces/http/signed-in.ts'
import { formFault } from './account-faults.ts'
import { returnPath } from './login.ts'
import { passkeyScript } from './page-scripts.ts'
import { factorForms, factorProof } from './proof-parts.ts'

const purpose = 'second-factor'

/** GET /login/second-factor: for a browser whose password, or sign-in at the provider, was right. */
export async function showSecondStep(ctx: Context, c: Http): Promise<Response> {
  return await answerStep(ctx, c, returnPath(ctx.config, c.req.query('return_to') ?? null))
}

/** POST /login/second-factor */
export async function finishSecondStep(ctx: Context, c: Http): Promise<Response> {
  const form = await readOwnForm(c, ctx.config)
  requireFormToken(ctx, c, purpose, form)
  const returnTo = returnPath(ctx.config, form.get('return_to'))
  const visitor = visitorOf(ctx, c)
  try {
    const opened = await finishSignIn(ctx, requireHalf(ctx, c), factorProof(form), visitor)
    return c.redirect(writeSession(ctx, c, opened, returnTo), 303)
  } catch (error) {
    const isOver =
      !(error instanceof Fault) || error.code === identityFaults.second_step_expired.code
    if (isOver) throw error
    ctx.log.info({ code: error.code, address: visitor.address }, 'a second factor was refused')
    return await answerStep(ctx, c, returnTo, error)
  }
}

async function answerStep(
  ctx: Context,
  c: Http,
  returnTo: string,
  error?: Fault,
): Promise<Response> {
  const ways = await beginSecondStep(ctx, requireHalf(ctx, c), visitorOf(ctx, c))
  const { status, message } = formFault(c, error)
  const form = {
    action: pathTo(ctx.config, '/login/second-factor'),
    formToken: formToken(ctx, c, purpose),
    returnTo,
    invalid: error !== undefined,
  }
  const page = {
    title: 'Second step',
    body: html`<h1>Confirm that it is you</h1>
      <p class="lead">Your account has a second factor.</p>
      ${problemBox(message)} ${factorForms(form, ways)}
      <p class="fine">
        <a href="${pathTo(ctx.config, '/login', { return_to: returnTo })}">Back to sign-in</a>
      </p>`,
    script: passkeyScript,
  }
  return await answerPage(c, ctx.config, page, status)
}

/** @throws Fault second_step_expired */
function requireHalf({ config }: Context, c: Http): string {
  const token = readTokenCookie(c, config, 'half')
  if (token === null) throw new Fault(identityFaults.second_step_expired)
  return token
}

import type { Context as HonoContext } from 'hono'
import { html } from 'hono/html'
import { completeSetup, identityFaults, readSetupLink } from '#features/identity/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { field, hidden } from '#surfaces/http/form-fields.ts'
import { formToken, requireFormToken } from '#surfaces/http/form-token.ts'
import { answerPage, problemBox, type Page } from '#surfaces/http/page.ts'
import { readForm } from '#surfaces/http/read-form.ts'
import { requireSameOrigin } from '#surfaces/http/same-origin.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { visitorOf, writeSession } from '#surfaces/http/signed-in.ts'
import { toPageFault } from './account-faults.ts'
import { home } from './home.ts'

type Http = HonoContext<HttpEnvironment>

const purpose = 'setup'

interface Typed {
  readonly email: string
  readonly name: string
}

/** GET /setup?token=…: looking spends nothing, so that a link preview does no harm. */
export async function showSetup(ctx: Context, c: Http): Promise<Response> {
  const token = c.req.query('token') ?? ''
  const { email } = await readSetupLink(ctx, token)
  return await answerSetup(ctx, c, { token, typed: { email, name: '' } })
}

/** POST /setup */
export async function finishSetup(ctx: Context, c: Http): Promise<Response> {
  requireSameOrigin(c, ctx.config)
  const form = await readForm(c.req)
  requireFormToken(ctx, c, purpose, form.get('form_token') ?? undefined)
  const token = form.get('token') ?? ''
  const typed = { email: form.get('email') ?? '', name: form.get('name') ?? '' }
  const given = { ...typed, password: form.get('password') ?? '' }
  try {
    writeSession(ctx, c, await completeSetup(ctx, token, given, visitorOf(ctx, c)))
  } catch (error) {
    if (!isAboutWhatWasTyped(error)) throw error
    return await answerSetup(ctx, c, { token, typed, error })
  }
  return c.redirect(pathTo(ctx.config, home), 303)
}

function isAboutWhatWasTyped(error: unknown): error is Fault {
  return error instanceof Fault && error.code !== identityFaults.setup_link_invalid.code
}

async function answerSetup(
  ctx: Context,
  c: Http,
  input: { readonly token: string; readonly typed: Typed; readonly error?: Fault },
): Promise<Response> {
  const { token, typed, error } = input
  const fault = error === undefined ? null : toPageFault(error)
  const form = { formToken: formToken(ctx, c, purpose), token, typed }
  const page = setupPage(pathTo(ctx.config, '/setup'), form, fault?.message ?? null)
  return await answerPage(c, ctx.config, page, fault?.status ?? 200)
}

function setupPage(
  action: string,
  form: { readonly formToken: string; readonly token: string; readonly typed: Typed },
  problem: string | null,
): Page {
  return {
    title: 'Set up your account',
    body: html`<h1>Set up your account</h1>
      <p class="lead">You own this Parley. Say who you are and choose a password.</p>
      ${problemBox(problem)}
      <form method="post" action="${action}">
        ${hidden('form_token', form.formToken)} ${hidden('token', form.token)}
        ${field({
          name: 'email',
          label: 'Email',
          type: 'email',
          autocomplete: 'username',
          value: form.typed.email,
        })}
        ${field({
          name: 'name',
          label: 'Name',
          type: 'text',
          autocomplete: 'name',
          value: form.typed.name,
          hint: 'What to call you; you may leave it out.',
          required: false,
        })}
        ${field({
          name: 'password',
          label: 'Password',
          type: 'password',
          autocomplete: 'new-password',
          hint: 'At least 8 characters. A few words are easier to remember.',
        })}
        <div class="actions"><button class="primary" type="submit">Finish set-up</button></div>
      </form>`,
  }
}

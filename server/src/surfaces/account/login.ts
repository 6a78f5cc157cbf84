import { html } from 'hono/html'
import type { Config } from '#config'
import { acceptsPasswords, awaitsSetup, signIn } from '#features/identity/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { formToken, requireFormToken } from '#surfaces/http/form-token.ts'
import { answerPage, field, hidden, problemBox, type Html, type Page } from '#surfaces/http/page.ts'
import { readOwnForm } from '#surfaces/http/read-form.ts'
import { localPath, pathTo } from '#surfaces/http/service-address.ts'
import {
  readSession,
  renewSessionCookie,
  visitorOf,
  writeSession,
} from '#surfaces/http/signed-in.ts'
import { formFault } from './account-faults.ts'
import { emailField, providerButton } from './form-parts.ts'

const purpose = 'login'

/** The path to which a sign-in leads: the requested one if it is one of ours. */
export function returnPath(config: Pick<Config, 'baseUrl'>, given: string | null): string {
  return localPath(config, given ?? undefined) ?? pathTo(config, '/')
}

/** GET /login: the form; a person who is already signed in is redirected at once. */
export async function showLogin(ctx: Context, c: Http): Promise<Response> {
  const returnTo = returnPath(ctx.config, c.req.query('return_to') ?? null)
  if ((await readSession(ctx, c)) !== null) {
    renewSessionCookie(ctx, c)
    return c.redirect(returnTo, 303)
  }
  return await answerLogin(ctx, c, { returnTo, email: '' })
}

/** POST /login */
export async function logIn(ctx: Context, c: Http): Promise<Response> {
  const form = await readOwnForm(c, ctx.config)
  requireFormToken(ctx, c, purpose, form)
  const returnTo = returnPath(ctx.config, form.get('return_to'))
  const email = form.get('email') ?? ''
  const password = form.get('password') ?? ''
  try {
    const result = await signIn(ctx, { email, password }, visitorOf(ctx, c))
    return c.redirect(writeSession(ctx, c, result, returnTo), 303)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    ctx.log.info({ code: error.code, address: visitorOf(ctx, c).address }, 'a sign-in was refused')
    return await answerLogin(ctx, c, { returnTo, email, error })
  }
}

async function answerLogin(
  ctx: Context,
  c: Http,
  input: { readonly returnTo: string; readonly email: string; readonly error?: Fault },
): Promise<Response> {
  const { returnTo, email, error } = input
  const { status, message: problem } = formFault(c, error)
  const token = formToken(ctx, c, purpose)
  const form = { token, returnTo, email, problem }
  const isFirst = acceptsPasswords(ctx.config) && (await awaitsSetup(ctx))
  const page = isFirst ? firstPage(ctx.config, form) : loginPage(ctx.config, form)
  return await answerPage(c, ctx.config, page, status)
}

interface LoginForm {
  readonly token: string
  readonly returnTo: string
  readonly email: string
  readonly problem: string | null
}

function loginPage(config: Config, form: LoginForm): Page {
  const { returnTo, problem } = form
  return {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
      <p class="lead">Welcome back.</p>
      ${problemBox(problem)} ${providerButton(config, returnTo)}
      ${acceptsPasswords(config) ? passwordForm(config, form) : null}`,
  }
}

/** Before the set-up, says where the set-up link is. */
function firstPage(config: Config, form: LoginForm): Page {
  const { returnTo, problem } = form
  return {
    title: 'Set up Parley',
    wide: true,
    body: html`<h1>Set up Parley</h1>
      <p class="lead">Parley is running. One step is left: the owner chooses a password.</p>
      <p>
        Open the link that Parley printed where it was started, in the terminal or in the log. It
        begins with:
      </p>
      <p><code>${config.baseUrl}/setup?token=</code></p>
      <p class="hint">
        In a container, the command that shows its log shows the link, such as
        <code>docker logs</code>. With systemd, it is <code>journalctl</code>.
      </p>
      <p class="hint">
        The link works once, within a day. After that, the next start of Parley prints a new one.
      </p>
      ${problemBox(problem)} ${providerButton(config, returnTo)}
      <details class="more" ${problem === null ? null : html`open`}>
        <summary>Sign in with an account that exists</summary>
        ${passwordForm(config, form)}
      </details>`,
  }
}

function passwordForm(config: Config, { token, returnTo, email, problem }: LoginForm): Html {
  return html`<form method="post" action="${pathTo(config, '/login')}">
    ${hidden('form_token', token)} ${hidden('return_to', returnTo)}
    ${emailField(email, problem !== null)}
    ${field({
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'current-password',
      invalid: problem !== null,
    })}
    <div class="actions"><button class="primary" type="submit">Sign in</button></div>
  </form>`
}

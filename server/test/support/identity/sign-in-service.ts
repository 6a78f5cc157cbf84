import type { Hono } from 'hono'
import { createApp, type Instance } from '#compose'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { createAccount } from './create-account.ts'
import { FormBrowser } from '#test/support/browser/form-browser.ts'
import {
  describeInstance,
  type TestInstance,
  type OpenInstance,
} from '#test/support/test-instance.ts'
import { makePkce, type Pkce } from './oauth-flow.ts'

export const baseUrl = 'http://localhost:3000'
export const redirectUri = 'http://localhost:4567/callback'
export const clientId = 'svc_mcp_cli'

export interface Account {
  readonly userId: string
  readonly workspaceId: string
  readonly email: string
  readonly password: string
}

/** The whole service on a test instance, with a person who has a password. */
export interface SignInService extends TestInstance {
  readonly app: Hono<HttpEnvironment>
  readonly ada: Account
  account(name: string): Promise<Account>
  browser(headers?: Readonly<Record<string, string>>): FormBrowser
  /** A browser with the person signed in. */
  signedIn(account?: Account): Promise<FormBrowser>
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>
}

export type OpenSignIn = (environment?: Readonly<Record<string, string>>) => Promise<SignInService>

/** Runs a suite against the whole service on SQLite and on PostgreSQL. */
export function describeSignIn(title: string, define: (open: OpenSignIn) => void): void {
  describeInstance(title, (openInstance) =>
    define((environment) => openService(openInstance, environment)),
  )
}

async function openService(
  openInstance: OpenInstance,
  environment: Readonly<Record<string, string>> = {},
): Promise<SignInService> {
  return await serviceOn(await openInstance({ BASE_URL: baseUrl, ...environment }))
}

/** The service on an instance, for example with another log; `known` if it already has its person. */
export async function serviceOn(instance: TestInstance, known?: Account): Promise<SignInService> {
  const app = appOf(instance)
  const { origin } = new URL(instance.ctx.config.baseUrl ?? baseUrl)
  const request = async (url: string, init: RequestInit) => await app.request(url, init)
  const browser = (headers = {}) => new FormBrowser(request, { origin, headers })
  const account = async (name: string) => {
    const [email, password] = [`${name}@example.com`, `the password of ${name}`]
    const { user, workspaceId } = await createAccount(instance.ctx, { email, password, name })
    return { userId: user.id, workspaceId, email, password }
  }
  const ada = known ?? (await account('ada'))
  return {
    ...instance,
    app,
    ada,
    account,
    browser,
    async signedIn({ email, password } = ada) {
      const fresh = browser()
      await fresh.open('/login')
      await fresh.submit('/login', { email, password })
      return fresh
    },
    async post(path, body, headers = {}) {
      const isForm = body instanceof URLSearchParams
      const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
      return await app.request(new URL(path, origin).href, {
        method: 'POST',
        headers: { 'content-type': type, ...headers },
        body: isForm || typeof body === 'string' ? String(body) : JSON.stringify(body),
      })
    },
  }
}

/** Makes an account one from before addresses had to be proven, created by a link for anyone. */
export async function unprove(
  { ctx }: Pick<TestInstance, 'ctx'>,
  { userId }: Pick<Account, 'userId'>,
): Promise<void> {
  const unproven = { email_proven: 0, email_proof: null }
  await ctx.db.write((tx) =>
    tx.updateTable('users').set(unproven).where('id', '=', userId).execute(),
  )
}

/** The app needs the context only: it runs no jobs and closes nothing. */
export function appOf({ ctx }: Pick<TestInstance, 'ctx'>): Hono<HttpEnvironment> {
  const instance: Pick<Instance, 'ctx'> = { ctx }
  return createApp(instance as Instance, { isStopping: () => false }) // See above.
}

/** An authorization request of the command-line client, with the given changes. */
export function authorizeQuery(
  pkce: Pkce,
  changes: Readonly<Record<string, string | readonly string[] | null>> = {},
): string {
  const whole: Record<string, string | readonly string[] | null> = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: '*',
    state: 'the state',
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    ...changes,
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(whole))
    for (const item of value === null ? [] : [value].flat()) query.append(name, item)
  return query.toString()
}

export interface FlowCode {
  readonly code: string
  readonly pkce: Pkce
}

/** Opens an authorization request in a browser, which then shows consent or sign-in. */
export async function beginConsent(
  browser: FormBrowser,
  changes: Readonly<Record<string, string>> = {},
): Promise<FormBrowser> {
  await browser.open(`/mcp/oauth/authorize?${authorizeQuery(makePkce(), changes)}`)
  return browser
}

/** Goes through the pages and returns the code. */
export async function obtainCode(
  browser: FormBrowser,
  changes: Readonly<Record<string, string>> = {},
  consent: Readonly<Record<string, string | readonly string[]>> = {},
): Promise<FlowCode> {
  const pkce = makePkce()
  await browser.open(`/mcp/oauth/authorize?${authorizeQuery(pkce, changes)}`)
  const back = await browser.submit('/mcp/oauth/consent', { decision: 'authorize', ...consent })
  const code = back === null ? null : new URL(back).searchParams.get('code')
  if (code === null) throw new Error(`no authorization code: ${back ?? browser.html}`)
  return { code, pkce }
}

/** The body of a token request for a code. */
export function redemptionBody({ code, pkce }: FlowCode) {
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: pkce.verifier,
  }
}

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { afterAll } from 'vitest'
import { changePlan } from '#features/credits/index.ts'
import type { Plan } from '#kernel/plan.ts'
import type { Scope } from '#kernel/scope.ts'
import { mcpSurface } from '#surfaces/mcp/index.ts'
import { createAccount } from '#test/support/identity/create-account.ts'
import { FormBrowser } from '#test/support/browser/form-browser.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { makeKey, type KeyOptions, type McpServiceOptions } from '#test/support/mcp-service.ts'
import { appOf } from '#test/support/identity/sign-in-service.ts'

/** The whole service on a loopback port. */
export interface ListeningService extends TestInstance {
  /** A person with a password. */
  readonly owner: Person
  readonly baseUrl: string
  readonly mcpUrl: string
  makeKey(person: Person, options?: KeyOptions): Promise<string>
  /**
   * The owner follows a client's link, signs in and authorizes it.
   *
   * @param scopes the scopes left checked; by default all requested ones
   * @returns the callback address with its parameters
   */
  approve(authorizationUrl: string | URL, scopes?: readonly Scope[]): Promise<URL>
}

export type Listen = (options?: McpServiceOptions) => Promise<ListeningService>

/**
 * Runs a suite against the whole service on a port, on both engines. The service stops with the
 * suite.
 */
export function describeListening(title: string, define: (listen: Listen) => void): void {
  describeInstance(title, (openInstance) => {
    const servers: Server[] = []
    afterAll(async () => {
      for (const server of servers) await stop(server)
    })
    define(async (options = {}) => {
      let serve: Fetch = () => new Response(null, { status: 503 })
      const answer = getRequestListener((request, environment) => serve(request, environment))
      const server = createServer((request, response) => void answer(request, response))
      servers.push(server)
      const baseUrl = `http://localhost:${await bind(server)}`
      const instance = await openInstance({ ...options.environment, BASE_URL: baseUrl })
      const app = wholeApp(instance, options)
      serve = app.fetch // Each app reads the bindings of the Node server, or none
      const owner = await makeOwner(instance, options.plan)
      return {
        ...instance,
        owner,
        baseUrl,
        mcpUrl: `${baseUrl}/mcp`,
        makeKey: (person, wanted) => makeKey(instance, person, wanted),
        approve: (url, scopes) => approve(baseUrl, owner, String(url), scopes),
      }
    })
  })
}

const password = 'a long enough password'

async function makeOwner({ ctx }: TestInstance, plan: Plan = 'enterprise'): Promise<Person> {
  const account = { email: 'owner@example.com', name: 'Owner', password }
  const { user, workspaceId } = await createAccount(ctx, account)
  const owner = { userId: user.id, workspaceId, name: user.name, email: user.email }
  await changePlan(ctx, owner, { plan })
  return owner
}

async function approve(
  origin: string,
  owner: Person,
  url: string,
  scopes?: readonly Scope[],
): Promise<URL> {
  const browser = new FormBrowser((to, init) => fetch(to, { ...init, redirect: 'manual' }), {
    origin,
  })
  await browser.open(url)
  await browser.submit('/login', { email: owner.email, password })
  const narrowed = scopes === undefined ? {} : { scope: scopes }
  const back = await browser.submit('/mcp/oauth/consent', { decision: 'authorize', ...narrowed })
  if (back === null) throw new Error(`consent did not redirect: ${browser.html}`)
  return new URL(back)
}

type Fetch = (
  request: Request,
  bindings: HttpBindings | Http2Bindings,
) => Response | Promise<Response>

function wholeApp(instance: TestInstance, { makeServer }: McpServiceOptions) {
  const whole = appOf(instance)
  if (makeServer === undefined) return whole
  // The first matching route answers: the same surface, with the server of a conformance suite.
  return new Hono()
    .route('/mcp', mcpSurface(instance.ctx, { version: '0.0.0-test', makeServer }))
    .route('/', whole)
}

async function bind(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server listening on TCP has an address with a port.
  return (server.address() as AddressInfo).port
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashToken, mintToken } from '#kernel/tokens.ts'
import { operations } from '#operations/catalogue.ts'
import { createLogger } from '#platform/log.ts'
import { createModels } from '#platform/providers/create-models.ts'
import {
  baseUrl,
  describeSignIn,
  obtainCode,
  redemptionBody,
  serviceOn,
} from '#test/support/identity/sign-in-service.ts'
import { inputFor } from '#test/support/operation-inputs.ts'
import { tried } from '#test/support/tried.ts'
import {
  openIdClient,
  startOpenIdServer,
  type OpenIdServer,
} from '#test/support/servers/openid-server.ts'
import { PostOffice, postman } from '#test/support/servers/post-office.ts'
import { startRemoteMcpServer } from '#test/support/servers/remote-mcp-server.ts'
import { startStripeServer, type StripeServer } from '#test/support/servers/stripe-server.ts'
import { asPage, createTenant } from '#test/tenancy/tenant.ts'
import { plantEntrusted, entrusted, plantInvitations, textOf } from './plant-entrusted.ts'
import { credentials, plantPayment } from './plant-payment.ts'
import { plantPersonal } from './plant-personal.ts'
import { plantVisitors } from './plant-visitors.ts'
import { plantedKinds } from './planted-kinds.ts'
import {
  instanceSecrets,
  secretEnvironment,
  startEchoServer,
  textsOf,
  type EchoServer,
} from './planted-secrets.ts'

type Answer = Readonly<Record<string, unknown>>

describeSignIn('secrets of every kind', (open) => {
  let echo: EchoServer
  let provider: OpenIdServer
  let stripe: StripeServer
  let remote: Awaited<ReturnType<typeof startRemoteMcpServer>>
  const office = new PostOffice()
  let planted: Record<string, string>
  const log: string[] = []
  const refusals: string[] = []
  const shown: string[] = []
  let database: readonly { at: string; text: string }[]
  let made: readonly string[]

  beforeAll(async () => {
    echo = await startEchoServer()
    provider = await startOpenIdServer()
    stripe = await startStripeServer()
    remote = await startRemoteMcpServer('modern')
    await plant()
  })
  afterAll(async () => {
    echo.stop()
    await provider.stop()
    await stripe.stop()
    await office.close()
  })

  async function plant() {
    const silent = await open({
      ...secretEnvironment,
      SMTP_URL: (await office.open()).replace('//', `//user:${instanceSecrets.smtpPassword}@`),
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: openIdClient.id,
      OIDC_CLIENT_SECRET: openIdClient.secret,
      DEFAULT_PLAN: 'enterprise',
      OUTBOUND_ALLOW_PRIVATE: `${echo.host},${remote.host}`,
      OPENAI_BASE_URL: `${echo.address}/v1`,
      ANTHROPIC_BASE_URL: echo.address,
      GOOGLE_BASE_URL: echo.address,
      STRIPE_API_BASE: stripe.baseUrl,
    })
    stripe.now = silent.ctx.clock.now
    const logger = createLogger(
      { ...silent.ctx.config, logLevel: 'trace' },
      { write: (line) => void log.push(line) },
    )
    const { config, outbound } = silent.ctx
    const models = createModels({ config, log: logger, outbound })
    const ctx = { ...silent.ctx, log: logger, models }
    const service = await serviceOn({ ...silent, ctx }, silent.ada)
    const { app } = service
    const tenant = await createTenant(service, 'planted')
    const account = { email: 'planted@example.com', password: 'the password of planted' }

    const send = async (path: string, init: RequestInit): Promise<Answer> => {
      const response = await app.request(`${baseUrl}${path}`, init)
      const text = await response.text()
      if (!response.ok || text.includes('"isError":true')) refusals.push(text)
      const isJson = /^application\/json\b(?!l)/.test(response.headers.get('content-type') ?? '')
      return isJson ? (JSON.parse(text) as Answer) : { text }
    }
    const post = (path: string, body: unknown, key?: string) =>
      send(path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify(body),
      })
    const call = (name: string, input: object) =>
      send(
        `/api/dashboard/operations/${name}`,
        asPage(tenant, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(input),
        }),
      )

    const accepted = async (name: string, input: object) => {
      const answer = await call(name, input)
      if (Object(answer.error) === answer.error)
        throw new Error(`${name} was refused: ${JSON.stringify(answer)}`)
      return answer
    }

    // What the workspace entrusts.
    const app_id = tenant.appId
    const ports = { appId: app_id, echo, toolServer: remote.url, call, accepted }
    const { actionId, webhookSecret } = await plantEntrusted(ports)
    const invitations = await plantInvitations(ports, office)

    const visitors = await plantVisitors({
      appId: app_id,
      appNameId: tenant.appNameId,
      now: ctx.clock.now(),
      accepted,
      request: async (path, init) => await app.request(`${baseUrl}${path}`, init),
      onAnswer: (text) => void refusals.push(text),
    })

    // What a person's account has.
    const letters = postman(service)
    const onRefusal = (text: string) => void refusals.push(text)
    const personal = await plantPersonal({
      service,
      provider,
      office,
      deliver: () => letters.deliver(),
      onRefusal,
    })
    await letters.deliver()
    await letters.stop()
    const unpaid = await plantPayment({ service, tenant, stripe, echo: echo.address, onRefusal })

    // What the service issues.
    const flow = await obtainCode(await service.signedIn())
    const tokens = await post('/mcp/oauth/token', redemptionBody(flow))
    const setup = mintToken('')
    const now = ctx.clock.now()
    const link = { hash: hashToken(setup.token), user_id: tenant.userId, created_at: now }
    await ctx.db.write((tx) =>
      tx
        .insertInto('setup_links')
        .values({ ...link, expires_at: now + 60_000, used_at: null })
        .execute(),
    )
    planted = {
      ...instanceSecrets,
      ...entrusted,
      password: account.password,
      chatKey: tenant.chatKey,
      checkoutKey: tenant.acpKey,
      developerKey: tenant.developerKey,
      accessToken: tenant.accessToken,
      secondAccessToken: textOf(tokens, 'access_token'),
      refreshToken: textOf(tokens, 'refresh_token'),
      code: flow.code,
      verifier: flow.pkce.verifier,
      setupToken: setup.token,
      webhookSecret,
      ...Object.fromEntries(tenant.browser.cookies),
      openIdClientSecret: openIdClient.secret,
      unstoredChat: 'planted-words-of-a-chat-that-is-not-stored',
      ...personal.planted,
      ...invitations(),
      ...visitors,
      ...credentials,
    }

    // Every secret is used, and sent where it does not belong.
    for (const key of Object.values(planted)) {
      await post('/api/v1/chat/completions', { model: 'x-1', messages: [] }, key)
      await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, key)
      await post(`/acp/${app_id}/checkout_sessions`, {}, key)
      await post('/mcp/oauth/token', { grant_type: 'refresh_token', refresh_token: key })
      await post('/mcp/oauth/revoke', { token: key })
      await send(`/setup?token=${encodeURIComponent(key)}x`, {})
      await send(`/invitations/${encodeURIComponent(key)}x`, {})
      await send('/account', { headers: { cookie: `__Secure-parley_session=${key}` } })
    }
    const guest = service.browser()
    await guest.open('/login')
    await guest.submit('/login', { ...account, password: `${account.password}!` })
    refusals.push(guest.html)
    await guest.open('/login/oidc')
    refusals.push(guest.html)
    await call('test_provider', { provider: 'custom', model: 'm' })
    for (const provider of ['openai', 'anthropic', 'google'])
      await call('test_provider', { provider, model: 'm' })
    const called = { action_id: actionId, arguments: {} }
    shown.push(JSON.stringify(await call('test_custom_action', called)))
    await accepted('update_app', { app_id, model: 'custom/m' })
    const messages = [{ role: 'user', content: 'hello' }]
    await post('/api/v1/chat/completions', { model: tenant.appNameId, messages }, tenant.chatKey)
    // The model fails, so its error is also logged. These words may be kept nowhere.
    const unstored = [{ role: 'user', content: planted.unstoredChat }]
    const asked = { model: tenant.appNameId, messages: unstored, store: false }
    await post('/api/v1/chat/completions', asked, tenant.chatKey)

    // What people, assistants and operators can read.
    const reading = operations.filter(
      ({ hints, surfaces }) => hints.readOnly && surfaces.includes('dashboard'),
    )
    const theirs: Readonly<Record<string, string>> = {
      list_webhook_endpoints: entrusted.webhookQuery,
      get_chat_page: visitors.pageLink,
      get_chat_page_code: visitors.pageLink,
    }
    for (const operation of reading) {
      const ids = { app_id, session_id: tenant.chatSessionId, workspace_id: tenant.workspaceId }
      const known: Record<string, string> = {
        ...ids,
        action_id: actionId,
        product_id: tenant.productId,
      }
      const named = new Proxy(known, {
        get: (all, name) =>
          all[String(name)] ?? (String(name).endsWith('_id') ? tenant.orderId : undefined),
      })
      const answer = JSON.stringify(await call(operation.name, inputFor(operation, named)))
      // Those who may change the address of a webhook or a page see it whole.
      shown.push(answer.replaceAll(theirs[operation.name] ?? '\0', ''))
    }
    for (const path of [
      '/api/dashboard/audit-log?format=csv',
      '/api/dashboard/audit-log?format=jsonl',
      `/api/dashboard/agents/${app_id}/conversations?format=jsonl`,
      `/api/dashboard/agents/${app_id}/conversations?format=csv`,
      '/account',
      '/healthz',
      '/readyz',
      `/acp/${app_id}/products`,
    ])
      shown.push(JSON.stringify(await send(path, asPage(tenant))))
    made = reading.map(({ name }) => name)
    database = [...personal.waiting, ...unpaid, ...(await textsOf(ctx.db))]
  }

  function found(text: string): readonly string[] {
    return Object.entries(planted)
      .filter(([, value]) => text.includes(value))
      .map(([kind]) => kind)
  }

  test('were all planted', () => {
    const kinds = [...plantedKinds, ...Object.keys(instanceSecrets)]
    expect(Object.keys(planted).toSorted()).toEqual([...new Set(kinds)].toSorted())
    for (const [kind, value] of Object.entries(planted))
      expect(value?.length, kind).toBeGreaterThan(8)
    expect(made).toEqual(
      expect.arrayContaining(['export_app', 'list_audit_events', 'get_app_analytics']),
    )
  })

  test('are in no line of the log, at any level', (context) => {
    expect(log.length).toBeGreaterThan(50)
    for (const line of log) expect(found(line), line).toEqual([])
    tried(context, log.length * Object.keys(planted).length)
  })

  test('are in no error that a caller receives', (context) => {
    expect(refusals.length).toBeGreaterThan(50)
    for (const text of refusals) expect(found(text), text).toEqual([])
    tried(context, refusals.length * Object.keys(planted).length)
  })

  test('are in no list, record, export, audit event or figure', (context) => {
    expect(shown.length).toBeGreaterThan(40)
    for (const text of shown) expect(found(text), text).toEqual([])
    tried(context, shown.length * Object.keys(planted).length)
  })

  test('are in no column of the database', (context) => {
    expect(database.length).toBeGreaterThan(200)
    const leaks = database.flatMap(({ at, text }) => found(text).map((kind) => `${kind} in ${at}`))
    expect([...new Set(leaks)]).toEqual([])
    tried(context, database.length * Object.keys(planted).length)
  })
})

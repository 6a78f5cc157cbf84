import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { atLeast } from '#kernel/actor.ts'
import { operations } from '#operations/catalogue.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import type { Person } from '#test/support/test-instance.ts'
import { inputFor } from '#test/support/operation-inputs.ts'

const agentPages = [
  'build',
  'build/actions',
  'build/actions/new',
  'build/actions/import',
  'build/actions/$actionId',
  'build/variables',
  'build/servers',
  'build/versions',
  'build/versions/1',
  'build/compare',
  'knowledge',
  'knowledge/$sourceId',
  'share/api',
  'share/page',
  'share/look',
  'share/widget',
  'share/visitors',
  'publish/catalog/products',
  'publish/catalog/orders',
  'publish/catalog/webhooks',
  'publish/catalog/keys',
  'publish/catalog/checkout',
  'analytics/overview',
  'analytics/conversations',
  'analytics/conversations/$sessionId',
]
const settingsPages = [
  'workspace',
  'members',
  'developer',
  'connected-apps',
  'providers',
  'billing',
  'audit',
  'jobs',
]

/** The first words of buttons that change something. A new test chat changes nothing. */
const changing =
  /^(add|buy|cancel order|change|choose files|create|delete|disconnect|duplicate|edit|fulfill|import|invite|new (?!conversation)|refund|remove|resend|revoke|restore|save|send again|set cap)\b/i

describeDashboard('two browsers as two tenants', (open) => {
  let service: DashboardService
  let bob: Person
  let carl: Person
  let appId: string
  let agent: string
  let secrets: string[]
  let records: Record<string, string>

  beforeAll(async () => {
    service = await open({ DEFAULT_PLAN: 'enterprise' })
    const made = await service.call('create_app', { name: 'Hidden garden' })
    appId = String(made.id)
    agent = String(made.app_name_id)
    const of = { app_id: appId }
    const variable = { ...of, name: 'TOKEN', type: 'secret', value: 'the-value-of-a-secret' }
    await service.call('set_app_variable', { ...variable, hosts: ['shop.example.com'] })
    const action = await service.call('create_custom_action', {
      ...of,
      name: 'look_up',
      description: 'Looks up',
      method: 'GET',
      url: 'https://shop.example.com/look-up',
    })
    const keys = await Promise.all([
      service.call('create_chat_key', { ...of, name: 'Key of the website' }),
      service.call('create_acp_key', { ...of, name: 'Key of a shopper' }),
      service.call('create_developer_key', { name: 'Key of a pipeline' }),
    ])
    const text = { ...of, title: 'Opening hours', text: 'Open from nine to five.' }
    const source = await service.call('add_knowledge_source', text)
    const url = 'https://shop.example.com/hooks'
    const endpoint = await service.call('create_webhook_endpoint', { ...of, url })
    const given = [...keys.map(({ key }) => key), endpoint.secret]
    secrets = [...given.map(String), 'the-value-of-a-secret', ...keyNames]
    expect(secrets.every((secret) => secret.length > 10 && secret !== 'undefined')).toBe(true)
    const source_id = String(source.id)
    records = {
      ...of,
      id: appId,
      source_id,
      action_id: String(action.id),
      user_id: service.ada.userId,
    }
    bob = await service.account('Bob', 'viewer')
    carl = await service.account('Carl')
  })

  const keyNames = ['Key of the website', 'Key of a shopper', 'Key of a pipeline']

  const addresses = () => {
    const inAgent = agentPages.map((page) => `/agents/${agent}/${page}`)
    const paths = [
      ...inAgent,
      '/home',
      '/agents',
      '/agents/new',
      ...settingsPages.map((of) => `/settings/${of}`),
    ]
    return paths.map(
      (path) =>
        `${path
          .replace('$actionId', records.action_id ?? '')
          .replace('$sourceId', records.source_id ?? '')
          .replace('$sessionId', service.ada.userId)}?workspace=${service.ada.workspaceId}`,
    )
  }

  /** Every response while a person visits the URLs. */
  async function walk(page: Page, look: (path: string) => Promise<void>): Promise<string> {
    const answers: Promise<string>[] = []
    page.on('response', (response) => {
      if (response.url().includes('/api/dashboard/'))
        answers.push(response.text().catch(() => 'the page was left before it was read'))
    })
    for (const path of addresses()) {
      await page.goto(`${service.baseUrl}${path}`)
      await page.locator('main').first().waitFor()
      await page.waitForLoadState('networkidle')
      await look(path)
    }
    return (await Promise.all(answers)).join('\n')
  }

  test('every page of the dashboard is visited', () => {
    const app = join(import.meta.dirname, '../../../dashboard/src/app')
    const source = readdirSync(app)
      .filter((name) => name.endsWith('routes.tsx'))
      .map((name) => readFileSync(join(app, name), 'utf8'))
      .join('\n')
    const walked = [
      ...agentPages.map((page) => `/${page}`),
      ...settingsPages.map((page) => `/settings/${page}`),
      '/agents/new',
      '/home',
      // Leads to one of the others.
      '/home/start',
    ].map((path) => path.replace(/versions\/1$/, 'versions/$version'))
    const paths = [...source.matchAll(/ path: '([^']+)'/g)].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(20)
    expect(paths.filter((path) => !walked.some((one) => one.includes(path)))).toEqual([])
  })

  test(
    'a viewer sees no secret, no key and no control that changes anything',
    { timeout: 180_000 },
    async () => {
      const page = await service.visit('/agents', { as: bob })
      const offered: string[] = []
      const shown: string[] = []
      const heard = await walk(page, async (path) => {
        const content = await page.content()
        shown.push(
          ...secrets.filter((secret) => content.includes(secret)).map((s) => `${path} ${s}`),
        )
        const inMain = page.getByRole('main')
        const ways = inMain.getByRole('button').or(inMain.getByRole('link'))
        for (const way of await ways.or(inMain.getByRole('switch')).all()) {
          const name = (await way.getAttribute('aria-label')) ?? (await way.innerText())
          if (changing.test(name.trim()) && (await way.isEnabled()))
            offered.push(`${path.replace(/\?.*/, '')}: ${name.trim()}`)
        }
      })
      expect(heard).toContain('Hidden garden')
      expect(shown).toEqual([])
      // Their own: a key acts as its person, and everyone may create a workspace.
      expect(offered).toEqual([
        '/settings/workspace: Create workspace',
        '/settings/developer: Create Key',
      ])
      expect(secrets.filter((secret) => heard.includes(secret))).toEqual([])
    },
  )

  test(
    'a stranger finds nothing at any URL, and no response reveals anything',
    { timeout: 180_000 },
    async () => {
      const page = await service.visit('/agents', { as: carl })
      const traces = [...secrets, 'Hidden garden', service.ada.email, appId]
      const heard = await walk(page, async (path) => {
        const text = await page.locator('body').innerText()
        expect(
          traces.filter((trace) => text.includes(trace)),
          path,
        ).toEqual([])
        if (path.startsWith(`/agents/${agent}/`))
          await page.getByRole('heading', { name: 'Not found' }).waitFor()
      })
      expect(traces.filter((trace) => heard.includes(trace))).toEqual([])
    },
  )

  const refused = operations.filter(
    ({ personal, hints, role }) => !personal && !hints.readOnly && !atLeast('viewer', role),
  )

  test.each(['viewer', 'stranger'])('every change that a %s asks for is refused', async (who) => {
    const page = await service.visit('/agents', { as: who === 'viewer' ? bob : carl })
    const before = await service.call('export_app', { app_id: appId })
    const asked = refused.map((operation) => ({
      name: operation.name,
      input: { ...inputFor(operation, allRecords()), workspace_id: service.ada.workspaceId },
    }))
    expect(asked.length).toBeGreaterThan(30)
    const statuses: [string, number][] = await page.evaluate(`Promise.all(
      ${JSON.stringify(asked)}.map(async ({ name, input }) => {
        const response = await fetch('/api/dashboard/operations/' + name, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(input),
        })
        return [name, response.status]
      }),
    )`)
    expect(statuses.filter(([, status]) => status !== 403 && status !== 404)).toEqual([])
    const after = await service.call('export_app', { app_id: appId })
    expect({ ...after, exported_at: null }).toEqual({ ...before, exported_at: null })
  })

  /** Unknown records are treated like those of other people. */
  function allRecords(): Record<string, string> {
    const names = ['session_id', 'source_id', 'product_id', 'server_id', 'invitation_id']
    return { ...Object.fromEntries(names.map((name) => [name, service.ada.userId])), ...records }
  }
})

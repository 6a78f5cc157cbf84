import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { axeViolations } from '#test/support/axe.ts'
import { picture } from '#test/support/browser-service.ts'
import { storeSession } from '#test/support/chat-history.ts'
import { describeDashboard, type DashboardService } from '#test/support/dashboard.ts'
import { createRecords } from '#test/tenancy/create-records.ts'

const wide = { width: 1440, height: 900 }
const narrow = { width: 390, height: 844 }

/** Pictures are taken of all four; two of them show axe both themes and both widths. */
const looks = [
  { name: 'wide-light', colorScheme: 'light', viewport: wide, isChecked: true },
  { name: 'wide-dark', colorScheme: 'dark', viewport: wide, isChecked: false },
  { name: 'narrow-dark', colorScheme: 'dark', viewport: narrow, isChecked: true },
  { name: 'narrow-light', colorScheme: 'light', viewport: narrow, isChecked: false },
] as const

const hour = 3_600_000

/** A workspace as a shop may have it: something is on every page. */
async function furnish(service: DashboardService): Promise<Map<string, string>> {
  const { ada, call, ctx } = service
  const ids = await createRecords(service, ada)
  const made = await call('create_app', {
    name: 'Tea shop',
    description: 'Answers customers about tea, orders and returns.',
    greeting: 'Good day! What can I brew for you?',
    suggestions: ['When are you open?', 'How long do returns take?'],
    system_prompt: 'You are the assistant of a tea shop. Be brief and kind.',
  })
  const app_id = String(made.id)
  for (const [title, text] of [
    ['Returns', '# Returns\n\nOrders can be returned within 30 days, free of charge.'],
    ['Opening hours', 'The shop is open from Monday to Friday from nine to six.'],
  ])
    await call('add_knowledge_source', { app_id, kind: 'text', title, text })
  await call('create_custom_action', {
    app_id,
    name: 'find_order',
    description: 'Finds an order by its number',
    method: 'GET',
    url: 'https://api.example.com/orders/{id}',
    parameters: [{ in: 'path', key: 'id', instructions: 'The number', required: true }],
  })
  await call('set_app_variable', { app_id, name: 'REGION', value: 'eu', description: 'Where' })
  for (const [name, price_amount] of [
    ['Sencha', 1290],
    ['Assam, second flush', 990],
  ])
    await call('upsert_product', { app_id, name, price_amount, description: 'Loose leaves, 100 g' })
  const { items: products } = (await call('list_products', { app_id })) as {
    items: { id: string }[]
  }
  await call('place_test_order', { app_id, product_id: products[0]?.id })
  await call('create_chat_key', { app_id, name: 'Website' })
  await call('move_apps', { app_ids: [ids.app_id], folder: 'Archive' })
  await call('update_app', { app_id, greeting: 'Welcome!', publish: false })
  await call('update_chat_page', { app_id, enabled: true, access: 'public' })
  await talk(service, app_id)
  const sources = (await call('list_knowledge_sources', { app_id })) as { items: { id: string }[] }
  const now = ctx.clock.now()
  const { id: session } = await storeSession(ctx.db, {
    workspaceId: ada.workspaceId,
    agentId: app_id,
    messages: [
      { role: 'user', at: now - hour, content: 'When are you open?' },
      {
        role: 'assistant',
        at: now - hour + 900,
        content: 'From Monday to Friday, **from nine to six**.\n\n- Monday\n- Tuesday',
      },
    ],
  })
  return new Map([
    ['agent', String(made.app_name_id)],
    ['source', String(sources.items[0]?.id)],
    ['session', session],
    ['action', ids.action_id],
    ['other', ids.app_id],
  ])
}

/** Conversations of the last weeks. */
async function talk({ ctx, ada }: DashboardService, agentId: string): Promise<void> {
  const now = ctx.clock.now()
  for (let n = 0; n < 40; n += 1) {
    const at = now - n * 13 * hour - hour
    await storeSession(ctx.db, {
      workspaceId: ada.workspaceId,
      agentId,
      source: n % 3 === 0 ? 'page' : 'api',
      messages: [
        {
          role: 'user',
          at,
          content: n % 2 === 0 ? 'Do you ship to Norway?' : 'Where is my order?',
        },
        {
          role: 'assistant',
          at: at + 1200,
          content: 'I am not sure.',
          ...(n % 2 === 0 ? { citations_json: '[]' } : {}),
        },
      ],
    })
  }
}

const ofAgent = [
  'build',
  'build/actions',
  'build/actions/new',
  'build/actions/import',
  'build/variables',
  'build/servers',
  'build/versions',
  'build/versions/1',
  'build/compare',
  'knowledge',
  'knowledge/{source}',
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
  'analytics/conversations/{session}',
].map((path) => `/agents/{agent}/${path}`)

const ofSettings = [
  'workspace',
  'members',
  'developer',
  'connected-apps',
  'providers',
  'billing',
  'audit',
  'jobs',
].map((path) => `/settings/${path}`)

const paths = [
  '/home',
  '/agents',
  '/agents/new',
  ...ofAgent,
  '/agents/{other}/build/actions/{action}',
  ...ofSettings,
]

describeDashboard('every page of the dashboard', (open) => {
  let service: DashboardService
  let ids: Map<string, string>

  beforeAll(async () => {
    service = await open()
    ids = await furnish(service)
  })

  const addressOf = (path: string) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? '')

  test.each(paths)('%s has no problem in any look', { timeout: 120_000 }, async (path) => {
    const page = await service.visit(addressOf(path), { viewport: wide, colorScheme: 'light' })
    // The browser and the service have the same day.
    await page.clock.setFixedTime(service.ctx.clock.now())
    await page.reload()
    await page.waitForLoadState('networkidle')
    for (const look of looks) {
      await page.emulateMedia({ colorScheme: look.colorScheme })
      await page.setViewportSize(look.viewport)
      await settle(page)
      const name = path.replaceAll(/[^a-z]+/g, '-')
      await picture(page, `look${name}-${look.name}`)
      const found = look.isChecked ? await axeViolations(page) : []
      expect({ look: look.name, found }).toEqual({ look: look.name, found: [] })
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      expect(width, `${look.name} overflows sideways`).toBeLessThanOrEqual(look.viewport.width)
    }
    await page.context().close()
  })
})

async function settle(page: Page): Promise<void> {
  await page.evaluate('document.fonts.ready')
  await page.evaluate('new Promise(requestAnimationFrame)')
  await page.evaluate(`Promise.allSettled(document.getAnimations()
    .filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
    .map((one) => one.finished))`)
}

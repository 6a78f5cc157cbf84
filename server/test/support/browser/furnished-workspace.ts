import { createRecords } from '#test/tenancy/create-records.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import type { DashboardService } from './dashboard.ts'

const hour = 3_600_000

/**
 * Fills a workspace as a shop may have it: something is on every page.
 *
 * @returns the address of one of `dashboardPages` in that workspace
 */
export async function furnishWorkspace(
  service: DashboardService,
): Promise<(page: string) => string> {
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
  const names = new Map([
    ['agent', String(made.app_name_id)],
    ['source', String(sources.items[0]?.id)],
    ['session', session],
    ['action', ids.action_id],
    ['other', ids.app_id],
  ])
  return (page) => page.replaceAll(/\{(\w+)\}/g, (_, name: string) => names.get(name) ?? '')
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

/** Every page of the dashboard; a name in braces stands for a record. */
export const dashboardPages = [
  '/home',
  '/agents',
  '/agents/new',
  ...ofAgent,
  '/agents/{other}/build/actions/{action}',
  ...ofSettings,
]

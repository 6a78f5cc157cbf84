import { requireShop, sellsProducts, type Shop } from '#features/catalog/index.ts'
import { publicUrl } from '#features/orders/index.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { answerCacheable } from '#surfaces/http/cached.ts'
import { limitVisitor } from './callers.ts'
import { supportedVersions } from './dialect.ts'

const agentCardSeconds = 300
/** From the protocol (RFC discovery). */
const discoverySeconds = 3600

/** GET /acp/{appId}/.well-known/agent.json */
export async function getAgentCard(ctx: Context, c: Http): Promise<Response> {
  await limitVisitor(ctx, c)
  const shop = await requireShop(ctx.db.read, c.req.param('appId') ?? '')
  const card = (await sellsProducts(ctx.db.read, shop)) ? agentCard : closedCard
  return answerCacheable(c, card(ctx, shop), agentCardSeconds)
}

/** GET /.well-known/acp.json: for the whole service, so it names no agent. */
export async function getRootDiscovery(ctx: Context, c: Http): Promise<Response> {
  await limitVisitor(ctx, c)
  const document = acpDocument(publicUrl(ctx, '/acp'))
  return answerCacheable(c, document, discoverySeconds)
}

/** GET /acp/{appId}/.well-known/acp.json */
export async function getAgentDiscovery(ctx: Context, c: Http): Promise<Response> {
  await limitVisitor(ctx, c)
  const shop = await requireShop(ctx.db.read, c.req.param('appId') ?? '')
  const currency = (await sellsProducts(ctx.db.read, shop)) ? shop.settings.currency : null
  return answerCacheable(c, acpDocument(baseOf(ctx, shop), currency), discoverySeconds)
}

function baseOf(ctx: Pick<Context, 'config'>, { agentId }: Shop): string {
  return publicUrl(ctx, `/acp/${agentId}`)
}

/** An A2A card for resolvers before and since version 0.3, with the addresses of the shop. */
function agentCard(ctx: Pick<Context, 'config' | 'payments'>, shop: Shop) {
  const base = baseOf(ctx, shop)
  const { provider, isTest } = ctx.payments
  return {
    name: shop.name,
    description: shop.description === '' ? `The shop of ${shop.name}` : shop.description,
    url: base,
    version: `${shop.version}.0.0`,
    capabilities: { streaming: false, pushNotifications: false, products: true, checkout: true },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: [
      {
        id: 'products',
        name: 'Products',
        description: 'Lists and searches what is on sale',
        tags: ['commerce', 'products'],
      },
      {
        id: 'checkout',
        name: 'Checkout',
        description: 'Carries a checkout from a cart to a paid order',
        tags: ['commerce', 'checkout', 'acp'],
      },
    ],
    endpoints: {
      products: `${base}/products`,
      feed: `${base}/feed`,
      checkout_sessions: `${base}/checkout_sessions`,
      orders: `${base}/orders`,
    },
    authentication: {
      type: 'bearer',
      schemes: ['bearer'],
      header: 'Authorization',
      key_prefix: 'acp_',
      required_for: ['checkout_sessions', 'orders'],
    },
    acp: {
      api_base_url: base,
      products_url: `${base}/products`,
      discovery_url: `${base}/.well-known/acp.json`,
      supported_versions: supportedVersions,
      app_id: shop.agentId,
      app_name_id: shop.appNameId,
      currency: shop.settings.currency,
      payments: { provider, test_mode: isTest },
    },
  }
}

/**
 * The card of an agent that sells nothing. Anyone can read it, so it contains the agent's ids and
 * name alone; the other fields are those that the format requires.
 */
function closedCard(ctx: Pick<Context, 'config'>, shop: Shop) {
  return {
    name: shop.name,
    description: '',
    url: baseOf(ctx, shop),
    version: '1.0.0',
    capabilities: { streaming: false, pushNotifications: false, products: false, checkout: false },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: [],
    acp: { app_id: shop.agentId, app_name_id: shop.appNameId },
  }
}

/** The protocol's DiscoveryResponse, which allows no other fields. */
function acpDocument(apiBaseUrl: string, currency: string | null = null) {
  const currencies = currency === null ? {} : { supported_currencies: [currency] }
  return {
    protocol: {
      name: 'acp',
      version: supportedVersions[0],
      supported_versions: supportedVersions.toReversed(),
      documentation_url: 'https://agenticcommerce.dev',
    },
    api_base_url: apiBaseUrl,
    transports: ['rest'],
    capabilities: {
      services: ['checkout', 'orders'],
      extensions: [{ name: 'discount' }],
      intervention_types: ['3ds'],
      ...currencies,
    },
  }
}

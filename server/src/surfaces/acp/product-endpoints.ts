import { z } from 'zod'
import {
  availabilityOf,
  listProductsOnSale,
  requireShop,
  type Product,
  type Shop,
} from '#features/catalog/index.ts'
import { publicUrl } from '#features/orders/index.ts'
import { commonFaults, Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { answerCacheable } from '#surfaces/http/cached.ts'
import { limitVisitor } from './callers.ts'
import { bodyFaults } from './request-body.ts'

/** Short, because the checkout reads current prices and stock, and the two should rarely differ. */
const productSeconds = 30

function queryOf(most: number, usual: number) {
  const counted = `must be a whole number from 1 to ${most}`
  const digits = z
    .string()
    .regex(/^\d{1,9}$/, counted)
    .transform(Number)
  return z.object({
    q: z.string().max(200, 'must be at most 200 characters long').optional(),
    limit: digits.pipe(z.number().min(1, counted).max(most, counted)).default(usual),
    cursor: z.string().max(500).optional(),
  })
}

/** The query parameters of both endpoints. */
export const productQuery = queryOf(100, 20)
export const feedQuery = queryOf(1000, 1000)

/** GET /acp/{appId}/products */
export async function getProducts(ctx: Context, c: Http): Promise<Response> {
  await limitVisitor(ctx, c)
  const shop = await requireShop(ctx.db.read, c.req.param('appId') ?? '')
  const { items, nextCursor } = await listPage(ctx, shop, readQuery(c, productQuery))
  const data = items.map(productDocument)
  const page = { data, has_more: nextCursor !== null, next_cursor: nextCursor }
  return answerCacheable(c, page, productSeconds)
}

/** GET /acp/{appId}/feed: the protocol's feed shape; further pages are linked (RFC 8288). */
export async function getFeed(ctx: Context, c: Http): Promise<Response> {
  await limitVisitor(ctx, c)
  const shop = await requireShop(ctx.db.read, c.req.param('appId') ?? '')
  const query = readQuery(c, feedQuery)
  const { items, nextCursor } = await listPage(ctx, shop, query)
  if (nextCursor !== null) {
    const next = new URLSearchParams({ cursor: nextCursor, limit: String(query.limit) })
    if (query.q !== undefined) next.set('q', query.q)
    c.header('Link', `<${publicUrl(ctx, `/acp/${shop.agentId}/feed`)}?${next}>; rel="next"`)
  }
  const feed = { products: items.map((product) => feedProduct(product, shop)) }
  return answerCacheable(c, feed, productSeconds)
}

type Query = z.output<typeof productQuery>

/** A parameter without a value counts as absent. @throws Fault field_invalid */
function readQuery(c: Http, schema: typeof productQuery): Query {
  const given = Object.entries(c.req.query()).filter(([, value]) => value !== '')
  const parsed = schema.safeParse(Object.fromEntries(given))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const name = String(issue?.path[0] ?? 'query')
  throw invalid(name, issue?.message ?? 'is not valid')
}

async function listPage(ctx: Context, shop: Shop, query: Query) {
  return await listProductsOnSale(ctx, shop, query).catch((error: unknown) => {
    const isCursor = isFault(error, commonFaults.invalid_input)
    throw isCursor ? invalid('cursor', 'is not a next_cursor of this list') : error
  })
}

function invalid(name: string, problem: string): Fault {
  return new Fault(bodyFaults.field_invalid, { param: name, problem: `${name}: ${problem}` })
}

function productDocument(product: Product) {
  const { id, name, description, sku, priceMinor, currency, images, categories } = product
  return {
    id,
    name,
    description,
    sku,
    price: { amount: priceMinor, currency },
    images,
    categories,
    fulfillment_type: product.fulfillmentType,
    availability: availability(product),
    updated_at: new Date(product.updatedAt).toISOString(),
  }
}

function availability({ stock }: Product) {
  return { available: stock === null || stock > 0, status: availabilityOf(stock) }
}

/** The protocol's Product. Each has one variant, whose id a checkout uses. */
function feedProduct(product: Product, shop: Shop) {
  const { id, name, description, images, categories, priceMinor, currency } = product
  const described = description === '' ? {} : { description: { plain: description } }
  const media = images.map((url) => ({ type: 'image', url }))
  const pictured = media.length === 0 ? {} : { media }
  const { available, status } = availability(product)
  return {
    id,
    title: name,
    ...described,
    ...pictured,
    variants: [
      {
        id,
        title: name,
        ...described,
        ...pictured,
        price: { amount: priceMinor, currency: currency.toUpperCase() },
        availability: { available, status: status === 'low_stock' ? 'limited_stock' : status },
        ...(categories.length === 0
          ? {}
          : { categories: categories.map((value) => ({ value, taxonomy: 'merchant' })) }),
        seller: { name: shop.name },
      },
    ],
  }
}

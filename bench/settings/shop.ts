import type { Context } from '../../server/src/platform/context.ts'
import { createAgent } from '../../server/src/features/agents/index.ts'
import { createAgentKey } from '../../server/src/features/api-keys/index.ts'
import { importProducts, listProducts } from '../../server/src/features/catalog/index.ts'
import type { Target } from '../chat/load.ts'
import { enginesOf, type BenchEngine } from '../subjects/engines.ts'
import { newInstance, type Author, type BenchInstance } from '../subjects/instance.ts'
import { importCase, shopCase } from '../suite/case-names.ts'
import { measure, type Run, type Stage } from '../suite/run.ts'

/** So many that none reaches its limit of sixty creations per minute. */
const keyCount = 2_000
/** So many that none reaches the limit of the public routes. */
const clientCount = 20_000
const productsPerImport = 5_000

/** Importing products, then reading them and creating checkouts, by the size of the catalogue. */
export const shop: Stage = {
  settings: ['import', 'shop'],
  async run(run, wanted) {
    for (const engine of enginesOf(run)) {
      const instance = await newInstance(run.generator.modelUrl, engine)
      try {
        const shops: Shop[] = []
        for (const size of run.options.quick ? [10, 1_000] : [10, 1_000, 100_000])
          shops.push(await fillShop(run, instance, engine, size, wanted))
        if (wanted.has('shop')) await measureShops(run, instance, engine, shops)
      } finally {
        await instance.remove()
      }
    }
  },
}

interface Shop {
  readonly size: number
  readonly agentId: string
  readonly productId: string
  readonly keys: readonly string[]
}

/** Imports a catalogue of this size, once per round if imports are measured. */
function fillShop(
  run: Run,
  instance: BenchInstance,
  { name }: BenchEngine,
  size: number,
  wanted: ReadonlySet<string>,
): Promise<Shop> {
  return instance.fill(async (ctx, author) => {
    const rounds = wanted.has('import') ? run.options.rounds : 1
    let agentId = ''
    for (let round = 1; round <= rounds; round += 1) {
      agentId = (await createAgent(ctx, author, { name: `Shop of ${size}` })).id
      const startedAt = performance.now()
      await fillCatalogue(ctx, author, agentId, size)
      const values = { seconds: (performance.now() - startedAt) / 1000 }
      const of = importCase(size)
      if (wanted.has('import'))
        run.record({ setting: 'import', case: of, subject: name, round, values })
    }
    const { items } = await listProducts(ctx, author.workspaceId, agentId, { limit: 1 })
    const keys: string[] = []
    for (let number = 0; wanted.has('shop') && number < keyCount; number += 1)
      keys.push((await createAgentKey(ctx, author, { kind: 'acp', appId: agentId, name: 'b' })).key)
    return { size, agentId, productId: items[0]?.id ?? '', keys }
  })
}

async function fillCatalogue(
  ctx: Context,
  { workspaceId }: Author,
  agentId: string,
  size: number,
): Promise<void> {
  for (let from = 0; from < size; from += productsPerImport)
    await importProducts(ctx, workspaceId, {
      appId: agentId,
      csv: csv(from, Math.min(productsPerImport, size - from)),
    })
}

function csv(from: number, count: number): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const number = from + index
    return `SKU-${number},Product ${number} of a large shop,${100 + (number % 9000)},digital,Things|Part ${number % 50}`
  })
  return ['sku,name,price_amount,fulfillment_type,categories', ...lines].join('\n')
}

async function measureShops(
  run: Run,
  instance: BenchInstance,
  { name, postgres }: BenchEngine,
  shops: readonly Shop[],
): Promise<void> {
  const service = await instance.start({ TRUST_PROXY: '127.0.0.0/8' })
  const subject = {
    memory: service.memory,
    cpu: async () => (await service.cpu()) + ((await postgres?.cpu()) ?? 0),
  }
  try {
    // Round 0 compiles the code.
    for (let round = 0; round <= run.options.rounds; round += 1)
      for (const shop of shops)
        for (const [request, target] of Object.entries(requests(service.origin, shop))) {
          const seconds = round === 0 ? 1 : run.options.seconds
          const values = await measure(run, subject, { target, callers: 32, seconds })
          const of = shopCase(request, shop.size)
          if (round > 0) run.record({ setting: 'shop', case: of, subject: name, round, values })
        }
  } finally {
    await service.stop()
  }
}

function requests(origin: string, shop: Shop): Record<string, Target> {
  const base = `/acp/${shop.agentId}`
  const clients = Array.from({ length: clientCount }, (_, n) => ({
    headers: { 'x-forwarded-for': `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` },
  }))
  const get = (path: string): Target => ({
    origin,
    method: 'GET',
    path: base + path,
    headers: {},
    body: '',
    stream: false,
    variants: clients,
  })
  return {
    'GET /products': get('/products'),
    'GET /products?q=': get('/products?q=product+49'),
    'POST /checkout_sessions': {
      origin,
      path: `${base}/checkout_sessions`,
      headers: {},
      body: JSON.stringify({ line_items: [{ product_id: shop.productId, quantity: 2 }] }),
      stream: false,
      variants: shop.keys.map((key) => ({
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      })),
    },
  }
}

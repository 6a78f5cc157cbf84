import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { createAgent } from '../server/src/features/agents/index.ts'
import { createAgentKey } from '../server/src/features/api-keys/index.ts'
import { importProducts, listProducts } from '../server/src/features/catalog/index.ts'
import { ensureOwner } from '../server/src/features/identity/index.ts'
import { readConfig } from '../server/src/config.ts'
import { openInstance } from '../server/src/compose.ts'
import { createLogger } from '../server/src/platform/log.ts'
import { startPostgres } from '../server/test/support/embedded-postgres.ts'
import { startScript } from './scripts.ts'

/**
 * Reading products and creating checkouts, over HTTP, by the size of the catalogue:
 * `npm run bench:acp -- [--engine sqlite|postgres] [--seconds 5] [--products 10,1000,100000]`
 *
 * Rate limits apply to each client and each key, so the load comes from many clients with many keys.
 */

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '5' },
    products: { type: 'string', default: '10,1000,100000' },
  },
})
const seconds = Number(values.seconds)
const sizes = values.products.split(',').map(Number)
const concurrency = 32
/** So many that none reaches its limit of sixty creations per minute. */
const keyCount = 600
/** Counts all requests, so that each comes from another client. */
let sent = 0

const postgres = values.engine === 'postgres' ? await startPostgres({ durable: true }) : null
const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-'))
try {
  await bench()
} finally {
  await postgres?.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function bench(): Promise<void> {
  const environment: Record<string, string> = {
    DATA_DIR: dataDir,
    DEMO: 'false',
    LOG_LEVEL: 'error',
    PORT: '0',
    OWNER_EMAIL: 'owner@example.com',
    OWNER_PASSWORD: 'a long enough password',
    SECRET_KEY: '5'.repeat(64),
    TRUST_PROXY: '127.0.0.0/8',
    ...(postgres === null ? {} : { DATABASE_URL: postgres.url }),
  }
  const shops = await seed(environment)
  const { child, baseUrl } = await start(environment)
  try {
    console.log(`engine ${values.engine}; ${concurrency} at a time, ${seconds} s each`)
    console.log('| products | request | per second | p50 ms | p99 ms |')
    console.log('|---:|---|---:|---:|---:|')
    for (const shop of shops) await measureShop(baseUrl, shop)
  } finally {
    child.kill('SIGTERM')
  }
}

interface SeededShop {
  readonly size: number
  readonly agentId: string
  readonly productId: string
  readonly keys: readonly string[]
}

async function seed(environment: Record<string, string>): Promise<SeededShop[]> {
  const config = readConfig(environment)
  const instance = await openInstance(config, createLogger(config))
  const { ctx } = instance
  const owner = await ensureOwner(ctx)
  if (owner === null) throw new Error('the database is not empty')
  const author = { userId: owner.userId, workspaceId: owner.workspaceId }
  const shops: SeededShop[] = []
  for (const size of sizes) {
    const agent = await createAgent(ctx, author, { name: `Shop of ${size}` })
    const startedAt = performance.now()
    for (let from = 0; from < size; from += 5000) {
      const count = Math.min(5000, size - from)
      await importProducts(ctx, owner.workspaceId, agent.id, csv(from, count))
    }
    const took = (performance.now() - startedAt) / 1000
    console.log(`imported ${size} products in ${took.toFixed(1)} s`)
    const { items } = await listProducts(ctx, owner.workspaceId, agent.id, { limit: 1 })
    const keys = await Promise.all(
      Array.from({ length: keyCount }, () =>
        createAgentKey(ctx, author, { kind: 'acp', appId: agent.id, name: 'b' }),
      ),
    )
    const productId = items[0]?.id ?? ''
    shops.push({ size, agentId: agent.id, productId, keys: keys.map(({ key }) => key) })
  }
  await instance.close()
  return shops
}

function csv(from: number, count: number): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const number = from + index
    return `SKU-${number},Product ${number} of a large shop,${100 + (number % 9000)},digital,Things|Part ${number % 50}`
  })
  return ['sku,name,price_amount,fulfillment_type,categories', ...lines].join('\n')
}

async function start(environment: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [startScript], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const baseUrl = await new Promise<string>((resolve) => {
    let text = ''
    child.stdout?.on('data', (piece) => {
      text += String(piece)
      const [, found] = /ready at (\S+) /.exec(text) ?? []
      if (found !== undefined) resolve(found.replace('localhost', '127.0.0.1'))
    })
  })
  return { child, baseUrl }
}

async function measureShop(baseUrl: string, shop: SeededShop): Promise<void> {
  const base = `/acp/${shop.agentId}`
  const body = JSON.stringify({ line_items: [{ product_id: shop.productId, quantity: 2 }] })
  const get = (path: string) => (n: number) => ({
    method: 'GET' as const,
    path: base + path,
    headers: { 'x-forwarded-for': address(n) },
  })
  const requests = {
    'GET /products': get('/products'),
    'GET /products?q=': get('/products?q=product+49'),
    'POST /checkout_sessions': (n: number) => ({
      method: 'POST' as const,
      path: `${base}/checkout_sessions`,
      headers: {
        authorization: `Bearer ${shop.keys[n % shop.keys.length]}`,
        'content-type': 'application/json',
      },
      body,
    }),
  }
  for (const [name, request] of Object.entries(requests)) {
    await load(baseUrl, request, 1) // The first requests compile the code.
    const { rate, p50, p99 } = await load(baseUrl, request, seconds)
    console.log(
      `| ${shop.size} | ${name} | ${rate.toFixed(0)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} |`,
    )
  }
}

type Request = Parameters<Pool['request']>[0]

async function load(baseUrl: string, make: (n: number) => Request, forSeconds: number) {
  const pool = new Pool(baseUrl, { connections: concurrency })
  const times: number[] = []
  const until = performance.now() + forSeconds * 1000
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() < until) {
        const from = performance.now()
        const { statusCode, body } = await pool.request(make(sent++))
        await body.arrayBuffer()
        if (statusCode >= 300) throw new Error(`answered ${statusCode}`)
        times.push(performance.now() - from)
      }
    }),
  )
  const took = (performance.now() - startedAt) / 1000
  await pool.close()
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { rate: times.length / took, p50: at(0.5), p99: at(0.99) }
}

/** Another client each time: no address is used twice within a minute. */
function address(n: number): string {
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
}

import { parseArgs } from 'node:util'
import type { LoadResult, Target } from './chat/load.ts'
import { startGenerator } from './chat/generator.ts'
import { startParley, type Parley } from './subjects/parley.ts'
import { direct } from './subjects/peers.ts'

/**
 * Visitors of a chat page who all read an answer at the same time, on one process with SQLite, compared
 * with direct calls of the same mock model: `node bench/visitors.ts [--visitors 500] [--rounds 3]`. Each
 * answer lasts six seconds, and the visitors ask within the first five, or all at once with `--spread 0`.
 */

const { values } = parseArgs({
  options: {
    visitors: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '3' },
    spread: { type: 'string', default: '5000' },
  },
})
const visitors = Number(values.visitors)
const spread = Number(values.spread)
const noLimits = {
  VISITOR_RATE_LIMIT: 'unlimited',
  VISITOR_ADDRESS_RATE_LIMIT: 'unlimited',
  VISITOR_REQUEST_LIMIT: 'unlimited',
  VISITOR_PROOF_AT: 'unlimited',
}

const generator = await startGenerator()
const parley = await startParley({
  modelUrl: generator.modelUrl,
  databaseUrl: null,
  launch: noLimits,
})
try {
  const page = await visitorsOf(parley)
  const asked = direct(generator.modelUrl).ask({ messages: 1, model: 'paced', stream: true })
  const model = { ...asked, body: asked.body.replace('paced', 'slow') }
  const before = await parley.memory()
  console.log(`${visitors} visitors; ${before.toFixed(0)} MB before their first message`)
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    const alone = await generator.load(model, visitors, 0, spread)
    const served = await generator.load(page, visitors, 0, spread)
    show('model alone', alone)
    show('chat page', served)
    const added = served.firstP50 - alone.firstP50
    const last = served.firstP99 - alone.firstP99
    const memory = await parley.memory()
    console.log(
      `round ${round}: first chunk +${added.toFixed(0)} ms (p50), +${last.toFixed(0)} ms (p99); ${memory.toFixed(0)} MB`,
    )
  }
} finally {
  await parley.stop()
  generator.stop()
}

function show(name: string, result: LoadResult): void {
  const { answers, failures, failure, firstP50, firstP99, longestGap } = result
  console.log(
    `  ${name}: ${answers} answers, ${failures} failures${failure === null ? '' : ` (${failure})`}, first chunk ${firstP50.toFixed(0)} ms (p50), ${firstP99.toFixed(0)} ms (p99), longest gap ${longestGap.toFixed(0)} ms`,
  )
}

/** The page's messages, each from a visitor of their own. */
async function visitorsOf({ call, origin }: Parley): Promise<Target> {
  const { id, app_name_id } = await call('create_app', { name: 'Bench', model: 'openai/slow' })
  await call('update_chat_page', { app_id: id, enabled: true, daily_messages: 1_000_000 })
  const path = `/chat/${app_name_id}`
  const tokens: string[] = []
  while (tokens.length < visitors) {
    const html = await (await fetch(origin + path)).text()
    tokens.push(/"token":"([^"]+)"/.exec(html)?.[1] ?? '')
  }
  const headers = { 'content-type': 'application/json', origin: 'null' }
  return {
    origin,
    path: `${path}/messages`,
    headers,
    body: JSON.stringify({ text: 'Say forty words about the sea.' }),
    stream: true,
    firstText: '"type":"text"',
    variants: tokens.map((token) => ({
      headers: { ...headers, authorization: `Bearer ${token}` },
    })),
  }
}

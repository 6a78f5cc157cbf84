import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeEnginesOnDisk, environmentOf } from '#test/support/databases/engines.ts'
import { cleansUp } from '#test/support/processes/parley-process.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'
import { hostileLogos, largestLogo } from '#test/support/hostile-logos.ts'
import { deepFromClients, deepFromVisitors } from '#test/support/deep-json.ts'
import { tried } from '#test/support/tried.ts'
import {
  healthDuring,
  healthOfBusyServer,
  startAttacked,
  type AttackedService,
} from '#test/support/processes/attacked-service.ts'
import { changing, chat, operation, words, type Attack, type Group } from './stalling-attack.ts'
import { groupsOfVisitors } from './stalling-visitors.ts'
import { groupsOfDeletions } from './stalling-deletions.ts'
import { groupsOfTurns } from './stalling-turns.ts'

cleansUp()

const measuredMs = 2_500

/** No input that a caller chose may take longer in one turn of the event loop. */
const longestTurnMs = 20

/** The p99 of `/healthz` while four callers try. */
const longestHealthMs = 50

/** What a server that is merely busy needs, where the machine has nothing else to do. */
const quietServerMs = 6

/** The same work takes more CPU time where other programs use the same core and its caches. */
const busyFactor = 2

/** Measurements in which other work on the machine may disturb. In a quiet one, nothing is forgiven. */
const mostMeasurements = 3

const marks = (count: number) => `a${'\u0315\u0301\u0323\u0327'.repeat(count / 4)}`

/** The largest inputs that are allowed, in groups of callers at the same time. */
const groupsOfInputs: Readonly<Record<string, Group>> = {
  'words, lines and values': ({ service }) => {
    const { id } = service.agent
    const names = Array.from({ length: 5000 }, (_, at) => `P${at},1,s${at}`).join('\n')
    const lines = `name,price_amount\n${'a,1\n'.repeat(800_000)}`
    const values = `{"name":"x","suggestions":[${'{},'.repeat(200_000)}0]}`
    return [
      chat(service, words(550_000)),
      operation(service, 'import_products', { app_id: id, csv: lines }, 422),
      { status: 422, send: async () => await service.operation('create_app', values) },
      operation(service, 'import_products', {
        app_id: id,
        csv: `name,price_amount,sku\n${names}`,
      }),
    ]
  },
  'texts for the knowledge of an agent': ({ service }) => [
    knowledge(service, 'plain words in a row. '.repeat(45_000)),
    knowledge(service, '# Heading\n\ntext\n\n'.repeat(55_000)),
    knowledge(service, `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(100_000)}`),
    knowledge(service, '- a\n'.repeat(250_000)),
  ],
  'runs of combining marks': ({ service }) => [
    chat(service, marks(1_800_000)),
    knowledge(service, marks(500_000)),
    operation(service, 'search_knowledge', { app_id: service.agent.id, query: marks(9_000) }),
    operation(service, 'upsert_product', {
      app_id: service.agent.id,
      name: 'Marks',
      price_amount: 1,
      description: marks(4_996),
    }),
  ],
  'long messages that are exported, listed and read': ({ service }) => {
    const { id } = service.agent
    const download = (format: string): Attack => ({
      status: 200,
      send: async () =>
        await service.page(`/api/dashboard/agents/${id}/conversations?format=${format}`),
    })
    return [
      chat(service, '\u0001"'.repeat(400_000)),
      download('csv'),
      download('jsonl'),
      operation(service, 'list_conversations', { app_id: id, query: 'a\u0001' }),
    ]
  },
  'logos of chat pages, and their icons': ({ service }) => {
    const { id, app_name_id: name } = service.agent
    const logos = [...Object.values(hostileLogos), largestLogo]
    return [
      changing(service, 'update_chat_page', (n) => ({
        app_id: id,
        enabled: true,
        // Each is a different icon, so none is drawn already.
        color: `#${(n % 0xffffff).toString(16).padStart(6, '0')}`,
        logo: logos[n % logos.length],
      })),
      ...[180, 512, 512].map((size) => ({
        status: 200,
        send: async () => await service.page(`/chat/${name}/icon-${size}.png`),
      })),
    ]
  },
  // The largest ones take minutes. A turn of these is as long.
  'imports of agents and of products': ({ service }) => {
    const document = {
      format: 'parley.agent',
      version: 1,
      agent: { name: 'Shop', model: 'local/extractive' },
      products: Array.from({ length: 200 }, (_, at) => ({
        name: `P${at}`,
        price_amount: 1,
        currency: 'usd',
        description: words(300),
      })),
      knowledge: Array.from({ length: 100 }, (_, at) => ({
        kind: 'text',
        title: `${at}`,
        text: 'Text',
      })),
    }
    return [
      operation(service, 'import_app', { document }),
      operation(service, 'import_app', { document }),
      rewording(service, 'A'),
      rewording(service, 'B'),
    ]
  },
}

/** Each time, the products get other words than before. */
function rewording(service: AttackedService, shelf: string): Attack {
  const csvOf = (of: string) => {
    const lines = Array.from({ length: 300 }, (_, at) => `${shelf}${at},P,1,${words(80, of)}`)
    return `sku,name,price_amount,description\n${lines.join('\n')}`
  }
  const inputs = ['a', 'b'].map((of) => ({ app_id: service.agent.id, csv: csvOf(of) }))
  return changing(service, 'import_products', (n) => inputs[n % 2]!)
}

function knowledge(service: AttackedService, text: string): Attack {
  return operation(service, 'add_knowledge_source', { app_id: service.agent.id, title: 'T', text })
}

const groups = { ...groupsOfInputs, ...groupsOfVisitors, ...groupsOfTurns, ...groupsOfDeletions }

describeEnginesOnDisk(
  'four callers with the largest inputs allowed stop no other request',
  (engine) => {
    const options = { timeout: 240_000 }
    let model: ModelServer
    beforeAll(async () => {
      model = await startModelServer({ reply: 'Words.', record: false })
    })
    afterAll(() => model.stop())
    test.for(Object.entries(groups))('%s', options, async ([, attacksOn], { annotate }) => {
      const service = await startAttacked({
        CHAT_RATE_LIMIT: '100000',
        CHAT_AGENT_RATE_LIMIT: '100000',
        DASHBOARD_RATE_LIMIT: 'unlimited',
        VISITOR_REQUEST_LIMIT: 'unlimited',
        VISITOR_RATE_LIMIT: 'unlimited',
        VISITOR_ADDRESS_RATE_LIMIT: 'unlimited',
        VISITOR_FILE_LIMIT: 'unlimited',
        VISITOR_PROOF_AT: 'unlimited',
        MAX_BACKGROUND_RESPONSES: '1000',
        LIMITS: 'sources_per_agent=1000',
        OPENAI_API_KEY: 'sk-test',
        OPENAI_BASE_URL: model.baseUrl,
        ...environmentOf(engine),
      })
      const attacks = await attacksOn({ service, engine })
      // Loads what only the first request loads.
      for (const { send, status } of attacks) {
        const answer = await send()
        expect(answer.status, answer.body.slice(0, 300)).toBe(status)
      }
      for (let left = mostMeasurements; ; left -= 1) {
        const { turnMs, healthMs, busyServerMs, tries } = await measure(service, attacks)
        const measured = `turn ${turnMs} ms, p99 of /healthz ${healthMs} ms, busy server ${busyServerMs} ms`
        await annotate(measured)
        expect(tries.every((count) => count > 0)).toBe(true)
        const isQuiet = busyServerMs <= quietServerMs
        const tolerated = isQuiet ? longestHealthMs : 8 * busyServerMs
        if (!isQuiet && left > 1 && (turnMs >= longestTurnMs || healthMs >= tolerated)) continue
        expect(turnMs, measured).toBeLessThan(isQuiet ? longestTurnMs : busyFactor * longestTurnMs)
        expect(healthMs, measured).toBeLessThan(tolerated)
        return
      }
    })
  },
)

/** A busy server is measured before and after: other work on the machine may come in the meantime. */
async function measure(service: AttackedService, attacks: readonly Attack[]) {
  const before = await healthOfBusyServer(1_000)
  await service.longestTurnMs()
  const over = new AbortController()
  const callers = attacks.map(async ({ send }) => {
    let tries = 0
    for (; !over.signal.aborted; tries += 1) await send()
    return tries
  })
  const healthMs = await healthDuring(service.parley, measuredMs)
  over.abort()
  const tries = await Promise.all(callers)
  const turnMs = await service.longestTurnMs()
  const busyServerMs = Math.max(before, await healthOfBusyServer(1_000))
  return { turnMs, healthMs, busyServerMs, tries }
}

describeEnginesOnDisk('inputs at the limits', (engine) => {
  test(
    'a message of a million characters without spaces is found',
    { timeout: 60_000 },
    async () => {
      const service = await startAttacked(environmentOf(engine))
      const { id } = service.agent
      expect(await chat(service, '語字'.repeat(500_000)).send()).toMatchObject({ status: 200 })
      const { body } = await operation(service, 'list_conversations', {
        app_id: id,
        query: '字語',
      }).send()
      expect(JSON.parse(body)).toMatchObject({ items: [{ app_id: id }] })
    },
  )

  test(
    'JSON nested 100,000 deep is refused at every surface',
    { timeout: 120_000 },
    async (context) => {
      const service = await startAttacked(environmentOf(engine))
      const { agent } = service
      const deep = '['.repeat(100_000) + ']'.repeat(100_000)
      const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`
      const answers = await Promise.all([
        service.chat(deep),
        service.chat(`{"model":"${agent.app_name_id}","messages":${deep}}`),
        service.operation('import_app', `{"document":${deep}}`),
        service.operation('import_app', `{"document":{"agent":${deep}}}`),
        service.operation('create_app', `{"name":${deep}}`),
        service.mcp(message),
        service.post('/mcp/oauth/register', deep.slice(50_000, 80_000)),
        service.post('/mcp/oauth/token', `{"code":${'['.repeat(30_000)}`),
        service.post(`/acp/${agent.id}/checkout_sessions`, deep),
        service.post(`/api/dashboard/agents/${agent.id}/chat`, deep),
        service.post('/hooks/payments/test', deep),
      ])
      for (const { status, body } of answers) {
        expect(status, body).toBeGreaterThanOrEqual(400)
        expect(status, body).toBeLessThan(500)
      }
      const further = [
        ...(await deepFromClients(service, deep)),
        ...(await deepFromVisitors(service, deep)),
      ]
      // Neither the credential nor the path is what is refused.
      for (const { status, body } of further) expect([400, 422], body).toContain(status)
      tried(context, answers.length + further.length + 1)
      const inString = JSON.stringify({ app_id: agent.id, openapi: deep })
      expect((await service.operation('import_custom_actions', inString)).status).toBe(422)
    },
  )
})

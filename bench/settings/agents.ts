import type { Context } from '../../server/src/platform/context.ts'
import { addAgent, agentSettings } from '../../server/src/features/agents/index.ts'
import { createAgentKey } from '../../server/src/features/api-keys/index.ts'
import { enginesOf, type BenchEngine } from '../subjects/engines.ts'
import { newInstance, type Author, type BenchInstance } from '../subjects/instance.ts'
import { conversation } from '../subjects/subject.ts'
import { count } from '../suite/case-names.ts'
import { measure, type Run, type Stage } from '../suite/run.ts'

/** So many of them answer in turn; more keys would only take longer to create. */
const mostAnswering = 1_000
/** Agents that are created in one unit. */
const batch = 500

/** Turns of many agents, each of which answers its share. */
export const agents: Stage = {
  settings: ['agents'],
  async run(run) {
    const sizes = run.options.quick ? [10, 1_000] : [10, 1_000, 10_000, 100_000]
    for (const engine of enginesOf(run)) {
      const instance = await newInstance(run.generator.modelUrl, engine)
      try {
        let existing = 0
        for (const size of sizes) {
          const answering = await addAgents(instance, existing, size)
          existing = size
          await measureSize(run, instance, engine, size, answering)
        }
      } finally {
        await instance.remove()
      }
    }
  },
}

interface Answering {
  readonly name: string
  readonly key: string
}

/** @returns some of the new agents, evenly spread, with a chat key each */
async function addAgents(instance: BenchInstance, from: number, to: number): Promise<Answering[]> {
  const answering: Answering[] = []
  const step = Math.max(1, Math.floor((to - from) / mostAnswering))
  await instance.fill(async (ctx, author) => {
    for (let first = from; first < to; first += batch) {
      const names = await addBatch(ctx, author, Math.min(batch, to - first))
      const chosen = names.filter((_, index) => (first - from + index) % step === 0)
      for (const name of chosen) {
        const { key } = await createAgentKey(ctx, author, { kind: 'chat', appId: name, name })
        answering.push({ name, key })
      }
    }
  })
  return answering
}

/** @returns their public names */
function addBatch(ctx: Context, author: Author, count: number): Promise<string[]> {
  const settings = agentSettings.parse({ name: 'Bench', model: 'openai/mock' })
  return ctx.db.write(async (tx) => {
    const names: string[] = []
    for (let index = 0; index < count; index += 1)
      names.push((await addAgent(tx, ctx, author, settings, null)).appNameId)
    return names
  })
}

async function measureSize(
  run: Run,
  instance: BenchInstance,
  { name, postgres }: BenchEngine,
  size: number,
  answering: readonly Answering[],
): Promise<void> {
  const service = await instance.start()
  const subject = {
    memory: service.memory,
    cpu: async () => (await service.cpu()) + ((await postgres?.cpu()) ?? 0),
  }
  const target = {
    origin: service.origin,
    path: '/api/v1/chat/completions',
    headers: {},
    body: '',
    stream: false,
    variants: answering.map(({ name, key }) => ({
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: name, messages: conversation(1) }),
    })),
  }
  const { seconds, rounds } = run.options
  try {
    await run.generator.load(target, 32, Math.min(3, seconds))
    for (let round = 1; round <= rounds; round += 1) {
      const values = await measure(run, subject, { target, callers: 32, seconds })
      run.record({
        setting: 'agents',
        case: `${count(size, 'agent')}, 32 callers`,
        subject: name,
        round,
        values: { ...values, readySeconds: service.readySeconds },
      })
    }
  } finally {
    await service.stop()
  }
}

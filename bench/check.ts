/**
 * Compares two commits on this machine and fails if the newer one is more than 5 % worse, beyond the
 * noise of the measurement: `npm run bench:check -- [older commit] [newer commit] [options]`. Without
 * a newer one it measures this tree; without an older one, the commit before.
 */
import { parseArgs } from 'node:util'
import { startGenerator, type Generator } from './chat/generator.ts'
import type { Target } from './chat/load.ts'
import { toolsList } from './settings/tools.ts'
import { checkOut } from './subjects/checkout.ts'
import type { BenchEngine } from './subjects/engines.ts'
import { startBenchPostgres } from './subjects/postgres.ts'
import { parleySubject, type ParleySubject } from './subjects/start-subjects.ts'
import {
  compare,
  comparedMetrics,
  type Block,
  type ComparedMetric,
  type Comparison,
} from './suite/comparison.ts'
import { commitOf, describeTree, root } from './suite/machine.ts'
import { names } from './suite/options.ts'
import { metrics } from './suite/results.ts'
import { measure } from './suite/run.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engines: { type: 'string', default: 'sqlite,postgres' },
    blocks: { type: 'string', default: '4' },
    most: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '3' },
    limit: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
  },
})
const seconds = Number(options.seconds)
const limit = Number(options.limit) / 100

/** What is compared on each engine. */
const questions: Readonly<Record<string, (service: ParleySubject) => Target>> = {
  'whole turns, 1 message': (s) => s.ask({ messages: 1, model: 'mock', stream: false }),
  'whole turns, 10 messages': (s) => s.ask({ messages: 10, model: 'mock', stream: false }),
  '40-chunk streams': (s) => s.ask({ messages: 1, model: 'mock', stream: true }),
  'tools/list over MCP': (s) => toolsList(s),
}
const callers = 32

/** The blocks of each engine, question and metric. */
const measured = new Map<string, { readonly metric: ComparedMetric; readonly blocks: Block[] }>()

const older = commitOf(positionals[0] ?? (describeTree().changed ? 'HEAD' : 'HEAD~1'))
const newer = positionals[1] === undefined ? null : commitOf(positionals[1])
const [before = root, after = root] = await checkOut(newer === null ? [older] : [older, newer])
const generator = await startGenerator()
const server = await startBenchPostgres()
const postgres = typeof server === 'string' ? null : server
try {
  for (let block = 1; block <= Number(options.most) && !isClear(block); block += 1)
    for (const engine of chosenEngines()) await measureBlock(generator, engine, block)
} finally {
  generator.stop()
  await postgres?.stop()
}
report()

function chosenEngines(): BenchEngine[] {
  const engines: BenchEngine[] = []
  const chosen = names(options.engines)
  if (chosen.includes('sqlite')) engines.push({ name: 'sqlite', postgres: null })
  if (chosen.includes('postgres') && postgres !== null) engines.push({ name: 'postgres', postgres })
  return engines
}

/** Whether the name has one of the words that were asked for. */
function isChosen(question: string): boolean {
  const words = names(options.only)
  return words.length === 0 || words.some((word) => question.includes(word))
}

/** New processes each block, because two starts of the same code differ as well. */
async function measureBlock(
  { modelUrl, load }: Generator,
  { name, postgres }: BenchEngine,
  block: number,
): Promise<void> {
  const a = await parleySubject(`base-${name}`, { modelUrl, checkout: before }, postgres)
  const b = await parleySubject(name, { modelUrl, checkout: after }, postgres)
  try {
    for (const [question, target] of Object.entries(questions)) {
      if (!isChosen(question)) continue
      // The first requests compile the code.
      for (const service of [a, b]) await load(target(service), callers, Math.min(2, seconds))
      const results = []
      for (const service of [a, b, b, a])
        results.push(
          await measure({ generator }, service, { target: target(service), callers, seconds }),
        )
      for (const metric of comparedMetrics) {
        if (results.every((values) => values[metric] === undefined)) continue
        const [a1, b1, b2, a2] = results.map((values) => values[metric] ?? Number.NaN)
        const key = `${name}, ${question}, ${metrics[metric]}`
        const line = measured.get(key) ?? { metric, blocks: [] }
        measured.set(key, line)
        // Four services were measured.
        line.blocks.push({ before: [a1, a2], after: [b1, b2] } as Block)
      }
      console.log(`block ${block}: ${name}, ${question}`)
    }
  } finally {
    await Promise.all([a.stop(), b.stop()])
  }
}

function comparisons(): [string, Comparison][] {
  return [...measured].map(([key, { metric, blocks }]) => [key, compare(metric, blocks, limit)])
}

/** Whether enough blocks were measured that the noise hides no loss. */
function isClear(block: number): boolean {
  if (block <= Number(options.blocks)) return false
  return comparisons().every(([, { verdict }]) => verdict !== 'unclear')
}

function report(): void {
  console.log(`\n${newer ?? 'this tree'} compared with ${older}; above 0 % is worse`)
  for (const [key, { ratio, noise, verdict }] of comparisons()) {
    const percent = ((ratio - 1) * 100).toFixed(1)
    console.log(`${key}: ${percent} % ± ${(noise * 100).toFixed(1)} %: ${verdict}`)
    if (verdict === 'loss') process.exitCode = 1
  }
}

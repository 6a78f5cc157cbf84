import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'

const server = join(import.meta.dirname, '..', '..', '..')

/** An engineer who follows one turn from the route to the stored answer reads this many files. */
const mostFiles = 25

/** The files that ARCHITECTURE.md lists for a turn. */
function listedFiles(engine: string): string[] {
  const page = readFileSync(join(server, '..', 'ARCHITECTURE.md'), 'utf8')
  const [, section = ''] = page.split('\n## A chat turn\n')
  const [turn = ''] = section.split('\n## ')
  const rows = [...turn.matchAll(/^\| `((?:surfaces|features)\/[^`]+\.ts)` \| (.+)/gm)]
  const files = rows.filter(
    ([, , part]) => engine === 'sqlite' || !part?.startsWith('on SQLite only'),
  )
  return files.map(([, file = '']) => file).sort()
}

/** Only for the model without a key: how rare the words of a question are, and what texts use instead. */
const ofExtractive = new Set([
  'features/full-text/term-store.ts',
  'features/retrieval/correct-words.ts',
  'features/retrieval/plain-words.ts',
  'features/retrieval/widen-corrected.ts',
  'features/retrieval/weigh-words.ts',
  'features/retrieval/widen-question.ts',
  'features/text-analysis/related-words.ts',
  'features/text-analysis/stem-german.ts',
])

describeEngines('a streamed turn of an agent with knowledge', (engine) => {
  let model: ModelServer

  beforeAll(async () => {
    model = await startModelServer()
  })
  afterAll(() => model.stop())

  test.each(['local/extractive', 'openai/mock'])(
    'with the model %s runs code in the files that ARCHITECTURE.md lists, and no others',
    async (name) => {
      const { dataDir, databaseUrl } = engine.settings()
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [join(server, 'test', 'support', 'processes', 'turn-coverage.ts'), name],
        {
          env: {
            DATA_DIR: dataDir,
            SECRET_KEY: '0'.repeat(64),
            ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
            OPENAI_API_KEY: 'sk-test',
            OPENAI_BASE_URL: model.baseUrl,
          },
        },
      )
      const run: readonly string[] = JSON.parse(stdout)
      const files = run.filter((file) => !ofExtractive.has(file))
      expect(files).toEqual(listedFiles(engine.name))
      expect(files).toHaveProperty(
        'length',
        expect.toSatisfy((count) => count <= mostFiles),
      )
    },
    60_000,
  )
})

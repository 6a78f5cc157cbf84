import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { clientFeatures, packageOf } from '../server/test/support/chat/client-features.ts'
import { documentAbsent } from '../server/test/support/chat/open-responses.ts'

/**
 * `npm run clients`: runs the tests of official clients and writes `docs/clients.md` from them. With the
 * path of recorded results (`CLIENTS_RESULTS`), it runs nothing and reads those.
 */

const root = join(import.meta.dirname, '..')
const suite = 'Open Responses'

const shown = z.object({
  client: z.string(),
  features: z.array(z.string()),
  title: z.string(),
})
type Shown = z.infer<typeof shown>

const packages: Readonly<Record<string, string>> = z
  .object({ devDependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).devDependencies

/**
 * What a client cannot do: chat completions have no background, the AI SDK reads no reasoning from those of
 * OpenAI, and LlamaIndex.TS passes no signal on; its wrapper of streams does not end them, either, when a
 * caller leaves the loop. The provider for Open Responses names no earlier response.
 */
const lacking: Readonly<Record<string, readonly string[]>> = {
  'AI SDK, `@ai-sdk/open-responses`': ['conversation', 'background'],
  'AI SDK, `@ai-sdk/openai` with `chat`': ['reasoning', 'background'],
  'AI SDK, `@ai-sdk/openai-compatible`': ['background'],
  'LangChain, `ChatOpenAI`': ['background'],
  'LlamaIndex.TS, `OpenAI`': ['background', 'abort'],
  'LlamaIndex.TS, `OpenAIResponses`': ['background', 'abort'],
  '`instructor` for JavaScript': ['reasoning', 'background'],
  '`openai` for JavaScript, `chat.completions`': ['background'],
}

// The page says that bodies and events are validated against it.
if (documentAbsent !== null) {
  process.stderr.write(`docs/clients.md is not written: ${documentAbsent}\n`)
  process.exit(1)
}

const [given] = process.argv.slice(2)
const lines = (given === undefined ? runTests() : readFileSync(given, 'utf8')).trim().split('\n')
const results = lines.map((line) => shown.parse(JSON.parse(line)))
writeFileSync(join(root, 'docs/clients.md'), pageText(results))

/** A failed test records nothing, so a page is written only of a run without one. */
function runTests(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-clients-'))
  try {
    const CLIENTS_RESULTS = join(folder, 'results')
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const env = { ...process.env, CLIENTS_RESULTS }
    const files = [
      'openai',
      'ai-sdk',
      'langchain',
      'llamaindex',
      'instructor',
      'open-responses',
    ].map((name) => `clients/${name}`)
    const args = [vitest, 'run', '--mode', 'client', ...files]
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env })
    if (status !== 0 || !existsSync(CLIENTS_RESULTS)) process.exit(status ?? 1)
    return readFileSync(CLIENTS_RESULTS, 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function pageText(all: readonly Shown[]): string {
  return [
    '# Clients',
    '',
    '`npm run clients` runs the tests of official clients, unmodified, against a running service on SQLite',
    'and PostgreSQL, and writes this page from the tests that pass. “Yes” means that a test of this client',
    'uses the feature, “–” that the client does not have it, and an empty cell that no test uses it. The',
    'tests use packages of npm and Debian 12; neither has the clients of OpenAI for Python and Go.',
    '',
    '| Client | Version |' + clientFeatures.map((name) => ` ${name} |`).join(''),
    `|---|---|${'---|'.repeat(clientFeatures.length)}`,
    ...clientRows(all.filter(({ client }) => client !== suite)),
    '',
    '## Open Responses',
    '',
    'What the compliance suite of Open Responses checks over HTTP, as tests of our own',
    '(`server/test/clients/open-responses.client.test.ts`) whose bodies and events are validated against',
    'the official OpenAPI document, with `store: false` and background responses beside it. The official',
    'suite itself was not run.',
    '',
    '| Check | What the test shows | Result |',
    '|---|---|---|',
    ...suiteRows(all.filter(({ client }) => client === suite)),
    '',
  ].join('\n')
}

function clientRows(all: readonly Shown[]): string[] {
  const byClient = Map.groupBy(all, ({ client }) => client)
  return [...byClient]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([client, tests]) => {
      const has = new Set(tests.flatMap(({ features }) => features))
      const cells = clientFeatures.map((name) => {
        if (has.has(name)) return ' Yes |'
        return lacking[client]?.includes(name) === true ? ' – |' : ' |'
      })
      return `| ${client} | ${versionOf(client)} |${cells.join('')}`
    })
}

function versionOf(client: string): string {
  const version = packages[packageOf[client] ?? '']
  if (version === undefined) throw new Error(`no package is known for the client ${client}`)
  return version
}

/** One row for each check, in the order of the suite's file. */
function suiteRows(all: readonly Shown[]): string[] {
  const byTitle = new Map(all.map((one) => [one.title, one]))
  return [...byTitle.values()].map(
    ({ features, title }) => `| ${features.join(', ')} | ${title} | passes |`,
  )
}

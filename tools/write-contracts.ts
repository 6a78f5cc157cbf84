import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { dashboardClient } from './dashboard-client.ts'
import { dashboardProviders } from './dashboard-providers.ts'
import { operationTitles } from './operation-titles.ts'
import { operations } from '../server/src/operations/catalogue.ts'
import { dashboardOpenApi } from '../server/src/operations/open-api.ts'
import { providers } from '../server/src/platform/providers/providers.ts'
import { acpOpenApi } from '../server/src/surfaces/acp/open-api.ts'
import { chatOpenApi } from '../server/src/surfaces/chat/open-api/open-api.ts'
import { chatEvent, confirmationWays, me } from '../server/src/surfaces/dashboard/page-answers.ts'
import { schemaOf } from '../server/src/surfaces/http/open-api.ts'
import { listTools } from '../server/src/surfaces/mcp/tools.ts'
import { oauthOpenApi } from '../server/src/surfaces/oauth/open-api.ts'

/**
 * Generates the contracts from the source: `node tools/write-contracts.ts`. With `--check` it
 * writes nothing and fails if one is out of date.
 */

const root = join(import.meta.dirname, '..')

const openApi = dashboardOpenApi(operations)

const contracts: Readonly<Record<string, () => string>> = {
  'contracts/dashboard.openapi.json': () => json(openApi),
  'dashboard/src/api/generated-operations.ts': () =>
    dashboardClient(openApi, {
      Me: schemaOf(me, 'output'),
      ChatEvent: schemaOf(chatEvent, 'output'),
      ConfirmationWays: schemaOf(confirmationWays, 'output'),
    }),
  'dashboard/src/api/generated-titles.ts': () => operationTitles(operations),
  'dashboard/src/api/generated-providers.ts': () => dashboardProviders(providers),
  'contracts/chat.openapi.json': () => json(chatOpenApi()),
  'contracts/oauth.openapi.json': () => json(oauthOpenApi()),
  'contracts/acp.openapi.json': () => json(acpOpenApi()),
  'contracts/mcp-tools.json': () => json({ tools: listTools({ toolsets: null, readOnly: false }) }),
}

const checking = process.argv.includes('--check')
const stale: string[] = []

for (const [path, make] of Object.entries(contracts)) {
  const file = join(root, path)
  const wanted = make()
  if ((await readIfThere(file)) === wanted) continue
  stale.push(relative(root, file))
  if (checking) continue
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, wanted)
}

if (checking && stale.length > 0) {
  console.error(`Out of date: ${stale.join(', ')}. Run: npm run contracts`)
  process.exitCode = 1
} else {
  console.log(stale.length === 0 ? 'Contracts are up to date.' : `Wrote ${stale.join(', ')}.`)
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

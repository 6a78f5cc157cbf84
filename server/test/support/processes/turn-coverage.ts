import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import pino from 'pino'
import { createApp, openInstance } from '#compose'
import { readConfig } from '#config'
import { createAgent } from '#features/agents/index.ts'
import { createAgentKey } from '#features/api-keys/index.ts'
import { createUser } from '#features/identity/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'

/**
 * A service in a separate process, without the test runner's transformed modules. It answers some
 * chat turns, then another with precise coverage, and prints a JSON list of the files in
 * `surfaces/` and `features/` in which a function ran. The environment configures it. Argument: the
 * agent's model.
 */
const [model = ''] = process.argv.slice(2)
const instance = await openInstance(readConfig(process.env), pino({ level: 'silent' }))
const { ctx } = instance
const account = {
  email: `ada-${process.pid}@example.com`,
  name: 'Ada',
  password: 'a long enough password',
}
const { user, workspaceId } = await createUser(ctx, account)
const owner = { userId: user.id, workspaceId }
const agent = await createAgent(ctx, owner, { name: 'Helper', model })
const { key } = await createAgentKey(ctx, owner, { kind: 'chat', appId: agent.id, name: 'test' })
const text = 'We open at nine and close at five. Refunds take a week.'
await addTextSource(ctx, workspaceId, { appId: agent.id, title: 'Opening hours', text })

const app = createApp(instance, { isStopping: () => false })
const answer = getRequestListener(app.fetch)
const server = createServer((request, response) => void answer(request, response))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
// A server listening on TCP has an address with a port.
const { port } = server.address() as AddressInfo

async function ask(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: agent.appNameId,
      messages: [{ role: 'user', content: 'When do you open?' }],
      stream: true,
    }),
  })
  const answer = await response.text()
  if (!answer.includes('"citations"') || !answer.endsWith('data: [DONE]\n\n'))
    throw new Error(`the turn returned no complete answer with citations: ${answer}`)
}

for (let warm = 0; warm < 3; warm += 1) await ask()
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await session.post('Profiler.takePreciseCoverage')
await ask()
const { result } = await session.post('Profiler.takePreciseCoverage')
const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0]?.count))
const files = ran.flatMap(
  ({ url }) => /\/server\/src\/((?:features|surfaces)\/.+)$/.exec(url)?.[1] ?? [],
)
process.stdout.write(JSON.stringify(files.sort()))

server.closeAllConnections()
server.close()
await instance.close()

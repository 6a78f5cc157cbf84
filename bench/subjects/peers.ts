import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../server/test/support/free-port.ts'
import { installPackages } from '../../server/test/support/processes/install-packages.ts'
import { startProcess } from './process.ts'
import { completion, conversation, type Subject } from './subject.ts'

const folder = join(import.meta.dirname, '..', 'peers')

/** Installs the other servers as their lock file says, the first time that a bench needs them. */
const installPeers = () => installPackages(folder)

/** The mock model alone: what the clients and the machine can do. */
export function direct(modelUrl: string): Subject {
  const url = `${modelUrl}/chat/completions`
  const unknown = () => Promise.resolve(Number.NaN)
  return {
    name: 'direct',
    ask: (question) => completion(url, question.model, question),
    cpu: unknown,
    memory: unknown,
    stop: () => Promise.resolve(),
  }
}

/** Hono and undici as a proxy that stores nothing. */
export async function bareProxy(modelUrl: string): Promise<Subject> {
  const server = await startProcess([join(folder, 'bare-proxy.ts'), modelUrl])
  const url = `${server.origin}/v1/chat/completions`
  return {
    ...server,
    name: 'bare',
    ask: (question) => completion(url, question.model, question),
  }
}

/** A gateway that stores nothing. */
export async function portkey(modelUrl: string): Promise<Subject> {
  await installPeers()
  const script = join(folder, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js')
  const server = await startProcess([script, '--headless', `--port=${await freePort()}`])
  const url = `${server.origin}/v1/chat/completions`
  const headers = {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': modelUrl,
    authorization: 'Bearer bench',
  }
  return {
    ...server,
    name: 'portkey',
    ask: (question) => completion(url, question.model, question, headers),
  }
}

/** An agent server that stores its conversations. */
export async function voltagent(modelUrl: string): Promise<Subject> {
  await installPeers()
  const data = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const script = join(folder, 'voltagent.mjs')
  const server = await startProcess([script, modelUrl, data, String(await freePort())])
  return {
    ...server,
    name: 'voltagent',
    ask: ({ model, messages, stream }) => ({
      origin: server.origin,
      path: `/agents/${model}/${stream ? 'stream' : 'text'}`,
      headers: { 'content-type': 'application/json' },
      // Each request begins a conversation, as it does in Parley.
      body: JSON.stringify({
        input: conversation(messages),
        options: { userId: 'bench', conversationId: '{n}' },
      }),
      stream,
      firstText: '"text":"w',
    }),
    async stop() {
      await server.stop()
      await rm(data, { recursive: true, force: true })
    },
  }
}

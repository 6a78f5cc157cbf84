import type { Target } from '../chat/load.ts'
import { enginesOf } from '../subjects/engines.ts'
import { parleySubject, type ParleySubject } from '../subjects/start-subjects.ts'
import { toolsCase } from '../suite/case-names.ts'
import { measure, type Stage } from '../suite/run.ts'

const era = '2026-07-28'
const _meta = {
  'io.modelcontextprotocol/protocolVersion': era,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** What an assistant asks the MCP server: a list, a read and a change. */
const questions = {
  'tools/list': { method: 'tools/list', params: {} },
  whoami: call('whoami', {}),
  update_workspace: call('update_workspace', { name: 'Bench' }),
}

/** Requests to the MCP server, in both revisions of the protocol. */
export const tools: Stage = {
  settings: ['tools'],
  async run(run) {
    const { modelUrl } = run.generator
    const services: ParleySubject[] = []
    try {
      for (const { name, postgres } of enginesOf(run))
        services.push(await parleySubject(name, { modelUrl }, postgres))
      // Round 0 compiles the code.
      for (let round = 0; round <= run.options.rounds; round += 1)
        for (const [question, { method, params }] of Object.entries(questions))
          for (const revision of ['2025-11-25', era])
            for (const callers of question === 'tools/list' ? [1, 32] : [32])
              for (const service of services) {
                const target = request(service, method, params, revision === era)
                const seconds = round === 0 ? 1 : run.options.seconds
                const values = await measure(run, service, { target, callers, seconds })
                const name = toolsCase(question, revision, callers)
                if (round > 0)
                  run.record({ setting: 'tools', case: name, subject: service.name, round, values })
              }
    } finally {
      await Promise.all(services.map((service) => service.stop()))
    }
  },
}

/** The question that `npm run bench:check` compares. */
export function toolsList(service: ParleySubject): Target {
  return request(service, 'tools/list', {}, true)
}

function call(name: string, input: object) {
  return { method: 'tools/call', params: { name, arguments: input } }
}

function request(
  { origin, developerKey }: ParleySubject,
  method: string,
  params: Readonly<Record<string, unknown>>,
  modern: boolean,
): Target {
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
  const headers = modern ? { 'mcp-protocol-version': era, 'mcp-method': method, ...name } : {}
  const sent = modern ? { ...params, _meta } : params
  return {
    origin,
    path: '/mcp',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${developerKey}`,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: sent }),
    stream: false,
  }
}

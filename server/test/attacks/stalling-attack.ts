import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { TestEngine } from '#test/support/databases/engines.ts'
import type { Answered, AttackedService } from '#test/support/processes/attacked-service.ts'

/** One of the callers that try at the same time, as often as they can. */
export interface Attack {
  /** Of a caller that tries it once. */
  readonly status: number
  readonly send: () => Promise<Answered>
}

export interface Attacked {
  readonly service: AttackedService
  /** Its database, which tests fill in bulk before callers try. */
  readonly engine: TestEngine
}

export type Group = (attacked: Attacked) => readonly Attack[] | Promise<readonly Attack[]>

export function words(count: number, of = 'w'): string {
  return Array.from({ length: count }, (_, at) => `${of}${at.toString(36)}`).join(' ')
}

export function chat(service: AttackedService, content: unknown): Attack {
  const messages = [{ role: 'user', content }]
  const body = JSON.stringify({ model: service.agent.app_name_id, messages })
  return { status: 200, send: async () => await service.chat(body) }
}

export function operation(
  service: AttackedService,
  name: string,
  input: object,
  status = 200,
): Attack {
  const body = JSON.stringify(input)
  return { status, send: async () => await service.operation(name, body) }
}

/** An operation with another input each time. */
export function changing(
  service: AttackedService,
  name: string,
  input: (tries: number) => object,
): Attack {
  let tries = 0
  const send = async () => await service.operation(name, JSON.stringify(input((tries += 1))))
  return { status: 200, send }
}

/** Calls that use up what they name, and something else when nothing is left. */
export function usingUp<T>(
  supply: readonly T[],
  use: (one: T) => Promise<Answered>,
  afterwards: () => Promise<Answered>,
): Attack {
  const left = [...supply]
  return {
    status: 200,
    async send() {
      const one = left.shift()
      return one === undefined ? await afterwards() : await use(one)
    },
  }
}

export async function made(answer: Promise<Answered>): Promise<Record<string, unknown>> {
  const { status, body } = await answer
  if (status !== 200) throw new Error(`${status} ${body}`)
  return JSON.parse(body)
}

/** The agent answers with a model of a provider, which can write summaries and read files. */
export async function useModel(service: AttackedService): Promise<void> {
  const change = { app_id: service.agent.id, model: 'openai/mock' }
  await made(service.operation('update_app', JSON.stringify(change)))
}

/** Stores conversations of a visitor without messages, in one statement. */
export async function fillEmptyConversations(
  { engine }: Attacked,
  { agentId, count, endUser }: { agentId: string; count: number; endUser: string },
): Promise<void> {
  const prefix = randomUUID().slice(0, 24)
  const at = Date.now()
  await engine.database().write(async (tx) => {
    await sql`
      insert into chat_sessions (id, workspace_id, agent_id, agent_version, source, end_user,
        created_at, last_message_at, message_count, lease_token, lease_until)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
      select ${prefix} || substr(cast(1000000000000 + i as text), 2), workspace_id, id, 1, 'page',
        ${endUser}, ${sql.lit(at)} + i, ${sql.lit(at)} + i, 0, null, 0
      from n cross join agents where id = ${agentId}`.execute(tx)
  })
}

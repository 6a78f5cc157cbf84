import { randomUUID } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import type { Database, Engine } from '#platform/db/database.ts'
import { made, operation, usingUp, type Attacked, type Group } from './stalling-attack.ts'

/** Of a long conversation. */
const messages = 3_000

/** How many conversations there are of each kind. */
const supply = { long: 6, outdated: 5, short: 200, large: 80 }

const dayMs = 86_400_000

/** Conversations with thousands of messages that are deleted, erased, outdated and purged. */
const deletions: Group = async (attacked) => {
  const { service, engine } = attacked
  const { agent } = service
  const db = engine.database()
  const create = async (settings: object) =>
    String((await made(operation(service, 'create_app', settings).send())).id)
  const model = 'local/extractive'
  const outdated = await create({ name: 'Outdated', model, retention_days: 1 })
  const purged = await create({ name: 'Purged', model })
  await made(operation(service, 'delete_app', { app_id: purged }).send())
  // What is deleted is counted and indexed already.
  await db.write((tx) => tx.updateTable('watermarks').set({ reached_at: Date.now() }).execute())
  const fill = (more: Partial<Conversations>) =>
    fillConversations(attacked, {
      agentId: agent.id,
      count: supply.long,
      messages,
      age: 0,
      ...more,
    })
  const deleted = await fill({})
  const users = Array.from({ length: supply.long }, (_, n) => `few long ones ${n}`)
  const talkers = ['many short ones', 'other short ones', 'further short ones']
  for (const endUser of users) await fill({ endUser, count: 1 })
  for (const endUser of talkers) await fill({ endUser, count: supply.short, messages: 6 })
  await fill({ agentId: outdated, count: supply.outdated, age: 3 * dayMs })
  await fill({ agentId: purged, count: supply.outdated })
  await fill({ agentId: purged, count: 1, messages: supply.large, characters: 1_000_000 })
  await db.write((tx) =>
    tx.updateTable('agents').set({ deleted_at: 0 }).where('id', '=', purged).execute(),
  )
  let lists = 0
  const list = operation(service, 'list_conversations', { app_id: outdated })
  const erase = (endUser: string) =>
    operation(service, 'erase_end_user', { app_id: agent.id, end_user: endUser }).send()
  return [
    usingUp(
      deleted,
      (id) => service.api('DELETE', `/conversations/conv_${id.replaceAll('-', '')}`),
      () => service.api('GET', '/models'),
    ),
    usingUp(users, erase, () => erase('nobody')),
    usingUp(talkers, erase, () => erase('nobody')),
    {
      status: 200,
      async send() {
        lists += 1
        // The first request comes before anything is measured.
        if (lists > 1) await runJobs(db)
        return await list.send()
      },
    },
  ]
}

async function runJobs(db: Database): Promise<void> {
  await db.write((tx) =>
    tx
      .updateTable('jobs')
      .set({ run_at: 0 })
      .where('kind', 'in', ['conversations.retention', 'workspaces.purge'])
      .where('status', '=', 'queued')
      .execute(),
  )
}

interface Conversations {
  readonly agentId: string
  readonly count: number
  readonly messages: number
  /** Of a message; 300 unless told. */
  readonly characters?: number
  readonly endUser?: string
  /** How long ago they were held, in ms. */
  readonly age: number
}

/** Stores conversations with calls, responses, ratings, streamed texts and search terms. @returns their ids */
async function fillConversations(
  { engine }: Attacked,
  { agentId, count, messages, characters = 300, endUser, age }: Conversations,
): Promise<string[]> {
  const prefix = randomUUID().slice(0, 24)
  const at = Date.now() - age - 3_600_000
  const db = engine.database()
  const id = sql`${prefix} || substr(cast(1000000000000 + s.i as text), 2)`
  const of = sql`agents where agents.id = ${agentId}`
  const session = numbers('s', count)
  const message = numbers('m', messages)
  const nth = sql`cast(s.i as text) || ' ' || cast(m.i as text)`
  const name = sql`${prefix} || ' ' || ${nth}`
  const text =
    engine.name === 'postgres'
      ? sql`repeat('a word ', ${sql.lit(Math.ceil(characters / 7))}::int)`
      : sql`replace(hex(zeroblob(${sql.lit(Math.floor(characters / 14))})), '00', ' a word word wo')`
  const places = sql`workspace_id, id, ${id}`
  await db.write(async (tx) => {
    await sql`
      insert into chat_messages (session_id, seq, id, role, content, model, prompt_tokens,
        completion_tokens, citations_json, created_at)
      with recursive ${session}, ${message}
      select ${id}, m.i, ${name}, case m.i % 2 when 1 then 'user' else 'assistant' end,
        'Question ' || ${nth} || ${text}, 'local/extractive', 1, 1,
        case m.i % 2 when 1 then null else '[]' end, ${sql.lit(at)} + s.i
      from s cross join m`.execute(tx)
    const tenth = sql`m.i % 3 = 0`
    await sql`
      insert into chat_responses (workspace_id, agent_id, session_id, id, message_id, first_seq,
        request_json, status, created_at)
      with recursive ${session}, ${message}
      select ${places}, ${name}, null, m.i, '{}', 'direct', ${sql.lit(at)} + s.i
      from s cross join m cross join ${of} and ${tenth}`.execute(tx)
    await sql`
      insert into response_texts (response_id, n, session_id, message_id, content)
      with recursive ${session}, ${message}
      select ${name}, 0, ${id}, ${name}, 'text' from s cross join m where ${tenth}`.execute(tx)
    await sql`
      insert into chat_feedback (workspace_id, agent_id, session_id, message_id, rating, created_at,
        updated_at)
      with recursive ${session}, ${message}
      select ${places}, ${name}, 1, ${sql.lit(at)} + s.i, ${sql.lit(at)} + s.i
      from s cross join m cross join ${of} and ${tenth}`.execute(tx)
    await sql`
      insert into action_calls (workspace_id, agent_id, session_id, id, message_id, kind, name, title,
        arguments_json, status, created_at, finished_at)
      with recursive ${session}, ${message}
      select ${places}, ${name}, ${name}, 'action', 'look_up', 'Look up', '{}', 'done',
        ${sql.lit(at)} + s.i, ${sql.lit(at)} + s.i
      from s cross join m cross join ${of} and ${tenth}`.execute(tx)
    // Last: triggers would look at all messages for each row.
    await sql`
      insert into chat_sessions (id, workspace_id, agent_id, agent_version, source, end_user,
        created_at, last_message_at, message_count, lease_token, lease_until)
      with recursive ${session}
      select ${id}, workspace_id, id, 1, 'api', cast(${endUser ?? null} as text),
        ${sql.lit(at)} + s.i, ${sql.lit(at)} + s.i, ${sql.lit(messages)}, null, 0
      from s cross join ${of}`.execute(tx)
  })
  const { rows } = await sql<{ id: string }>`
    select id from chat_sessions where id like ${`${prefix}%`} order by id`.execute(db.read)
  const ids = rows.map((row) => row.id)
  for (const one of ids)
    await fillTerms(db, engine.name, one, {
      documents: Math.ceil(messages / 500),
      terms: Math.min(messages * 20, 2_000),
    })
  return ids
}

/** The words of a conversation, in documents of a few thousand terms. */
async function fillTerms(
  db: Database,
  engine: Engine,
  id: string,
  { documents, terms }: { readonly documents: number; readonly terms: number },
): Promise<void> {
  await db.write(async (tx) => {
    for (let n = 0; n < documents; n += 1)
      if (engine === 'postgres')
        await sql`
          insert into conversation_terms (session_id, hashes)
          select ${id}, array(select hashtext(${id} || i) from generate_series(1, ${sql.lit(terms)}) as i)
        `.execute(tx)
      else {
        const row = await tx
          .insertInto('conversation_documents')
          .values({ session_id: id })
          .returning('id')
          .executeTakeFirstOrThrow()
        const said = Array.from({ length: terms }, (_, at) => `1:${id.slice(-4)}w${n}x${at % 1500}`)
        await tx
          .insertInto('conversation_index')
          .values({ rowid: row.id, terms: said.join(' ') })
          .execute()
      }
  })
}

function numbers(name: string, count: number): RawBuilder<unknown> {
  const table = sql.raw(name)
  return sql`${table} (i) as (select 1 union all select i + 1 from ${table} where i < ${sql.lit(count)})`
}

export const groupsOfDeletions: Readonly<Record<string, Group>> = {
  'conversations of 3,000 messages that are deleted, erased, outdated and purged': deletions,
}

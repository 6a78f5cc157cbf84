import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { cleansUp, emptyFolder, parley, startParley } from '../support/parley-process.ts'

cleansUp()

const sessions = 10_000
const messages = sessions * 2

test('a service killed while it counts conversations for the first time counts each once', async () => {
  const folder = await emptyFolder()
  const environment = { DATA_DIR: folder, DEMO: 'false' }
  const call = async (operation: string, input: object) => {
    const done = await parley(['call', operation, '-'], environment, JSON.stringify(input))
    if (done.code !== 0) throw new Error(done.stderr)
    return JSON.parse(done.stdout)
  }
  const { id: app_id, workspace_id } = await call('create_app', { name: 'Helpdesk' })
  const database = new DatabaseSync(join(folder, 'parley.sqlite'))
  const begin = Date.now() - 20 * 86_400_000
  database.exec(`
    begin;
    create temp table numbers as
      with recursive counted (n) as (
        select 0 union all select n + 1 from counted where n < ${sessions - 1}
      ) select n from counted;
    insert into chat_sessions (id, workspace_id, agent_id, agent_version, source, end_user,
      created_at, last_message_at, message_count, lease_until)
    select printf('%08x-0000-7000-8000-000000000001', n), '${workspace_id}', '${app_id}', 1, 'api',
      'user-' || (n % 50), ${begin} + n * 60000, ${begin} + n * 60000, 2, 0 from numbers;
    insert into chat_messages (session_id, seq, id, role, content, prompt_tokens, created_at)
    select printf('%08x-0000-7000-8000-000000000001', n), q,
      printf('%08x-0000-7000-8000-00000000000%x', n, q),
      case q when 1 then 'user' else 'assistant' end, 'Word' || n, case q when 2 then 3 end,
      ${begin} + n * 60000 from numbers cross join (select 1 as q union all select 2);
    commit;
  `)
  const reached = (name: string) =>
    Number(
      database.prepare('select reached_at from watermarks where name = ?').get(name)?.reached_at,
    )
  const last = begin + sessions * 60_000
  const first = await startParley(environment)
  while (reached('analytics') < begin + 86_400_000 / 4) await sleep(2)
  first.signal('SIGKILL')
  await first.finished
  expect(reached('analytics')).toBeLessThan(last)
  // The job's lease ends a minute after its process.
  const service = await startParley(environment)
  while (reached('analytics') < last || reached('conversation_search') < last) await sleep(100)
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const range = { app_id, from: day(begin - 86_400_000), to: day(Date.now()) }
  const { totals, top_questions } = await call('get_app_analytics', range)
  expect(totals).toMatchObject({ sessions, messages, users: 50, prompt_tokens: sessions * 3 })
  expect(top_questions[0].conversations).toBe(1)
  const indexed = database
    .prepare(
      'select count(distinct session_id) as count, count(*) as rows from conversation_documents',
    )
    .get()
  expect(indexed?.count).toBe(sessions)
  // No more documents than units that may have cut a conversation in two.
  expect(Number(indexed?.rows)).toBeLessThan(sessions * 1.1)
  database.close()
  service.signal('SIGTERM')
  await service.finished
}, 240_000)

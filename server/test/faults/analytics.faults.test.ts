import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { callOperation } from './call-operation.ts'
import { recordFault } from './record-fault.ts'
import { refuseChanges } from './refuse-changes.ts'
import { kill, letTimePass } from './kill.ts'
import { serviceEnvironment } from './service-environment.ts'

const sessions = 10_000
const messages = sessions * 2
const day = 86_400_000

describeEngines(
  'kill -9 during the first count of conversations',
  (engine) => {
    cleansUp()

    test('the next process counts the rest, each once', async () => {
      const db = engine.database()
      const { dataDir } = engine.settings()
      const environment = serviceEnvironment(engine.settings())
      const call = (operation: string, input: object) =>
        callOperation(environment, operation, input)
      const { id: app_id, workspace_id } = await call('create_app', { name: 'Helpdesk' })
      const begin = Date.now() - 20 * day
      const last = begin + sessions * 60_000
      converse(join(dataDir, 'parley.sqlite'), { app_id, workspace_id, begin })
      const reached = async (name: 'analytics' | 'conversation_search') => {
        const query = db.read.selectFrom('watermarks').select('reached_at').where('name', '=', name)
        return Number((await query.executeTakeFirst())?.reached_at ?? 0)
      }
      // Otherwise all might be counted before the kill.
      const allowChanges = await refuseChanges(db, {
        table: 'watermarks',
        kind: 'update',
        when: `new.name = 'analytics' and new.reached_at >= ${last}`,
      })
      const first = await startParley(environment)
      await until('some are counted', async () => (await reached('analytics')) > begin + day / 4)
      await kill(first, db)
      await allowChanges()
      expect(await reached('analytics')).toBeLessThan(last)
      await letTimePass(db)
      const startedAt = performance.now()
      const second = await startParley(environment)
      for (const name of ['analytics', 'conversation_search'] as const)
        await until(`${name} contains all of them`, async () => (await reached(name)) >= last)
      const healthyAfterMs = performance.now() - startedAt
      const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10)
      const range = { app_id, from: dateOf(begin - day), to: dateOf(Date.now()) }
      const { totals, top_questions } = await call('get_app_analytics', range)
      expect(totals).toMatchObject({ sessions, messages, users: 50, prompt_tokens: sessions * 3 })
      expect(top_questions[0].conversations).toBe(1)
      const indexed = await db.read
        .selectFrom('conversation_documents')
        .select((e) => [
          e.fn.count('session_id').distinct().as('count'),
          e.fn.countAll().as('rows'),
        ])
        .executeTakeFirstOrThrow()
      expect(indexed.count).toBe(sessions)
      // At most as many extra documents as units that may have split a conversation.
      expect(Number(indexed.rows)).toBeLessThan(sessions * 1.1)
      recordFault({
        fault: 'kill -9 during the first count of conversations: each is counted once',
        engine: 'sqlite',
        tries: sessions,
        lost: 0,
        failed: 0,
        healthyAfterMs,
      })
      second.signal('SIGTERM')
      await second.finished
    })
  },
  'sqlite',
)

interface Place {
  readonly app_id: string
  readonly workspace_id: string
  readonly begin: number
}

/** One conversation per minute, each with a question and an answer. */
function converse(file: string, { app_id, workspace_id, begin }: Place): void {
  const database = new DatabaseSync(file)
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
  database.close()
}

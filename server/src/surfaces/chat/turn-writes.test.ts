import { afterEach, expect, test, vi } from 'vitest'
import { SqliteConnection } from '#platform/db/sqlite/sqlite-connection.ts'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { until } from '#test/support/until.ts'

/** What each further statement costs is in bench/README.md. */
describeChat('on SQLite a turn of a new session', (open) => {
  afterEach(() => vi.restoreAllMocks())

  test.each([
    [
      'that is not streamed is one commit of four statements',
      { stream: false },
      [
        'begin immediate',
        'insert into "chat_sessions"',
        'insert into "chat_messages"',
        'insert into "credit_entries"',
        'update "credit_windows"',
        'commit',
      ],
    ],
    [
      'that is streamed is a commit of two statements and one of four',
      { stream: true },
      [
        'begin immediate',
        'insert into "chat_sessions"',
        'insert into "chat_messages"',
        'commit',
        'begin immediate',
        'update "chat_sessions"',
        'insert into "chat_messages"',
        'insert into "credit_entries"',
        'update "credit_windows"',
        'commit',
      ],
    ],
  ])('%s, with one message and with ten', async (_, fields, expected) => {
    const { say, ctx } = await open()
    // On PostgreSQL each of these commits is one statement.
    if (ctx.db.engine === 'postgres') return
    // The first use of a key in a minute is noted after the answer.
    await (await say('hello')).text()
    const used = ctx.db.read.selectFrom('api_keys').where('last_used_at', 'is not', null)
    await until('the use is noted', async () => {
      const rows = await used.select('id').execute()
      return rows.length > 0
    })
    const statements = recordStatements()
    const messages = Array.from({ length: 10 }, (_, n) => ({
      role: n % 2 === 0 ? 'system' : 'user',
      content: `message ${n}`,
    }))
    for (const more of [{}, { messages }]) {
      statements.length = 0
      const answer = await say('hello', { ...fields, ...more })
      expect(answer.status).toBe(200)
      await answer.text()
      expect(statements).toEqual(expected)
    }
  })
})

/** The statements that write, without what follows the table. */
function recordStatements(): string[] {
  const statements: string[] = []
  for (const method of ['run', 'rows'] as const) {
    // Both take a statement with its values; only what they return differs.
    const real = SqliteConnection.prototype[method] as SqliteConnection['rows']
    vi.spyOn(
      SqliteConnection.prototype as Pick<SqliteConnection, 'rows'>,
      method as 'rows',
    ).mockImplementation(function (this: SqliteConnection, ...given) {
      const [found] = /^(begin|commit|insert|update|delete|savepoint)( immediate| (into )?"\w+")?/.exec(given[0]) ?? [] // prettier-ignore
      if (found !== undefined) statements.push(found)
      return real.apply(this, given)
    })
  }
  return statements
}

import { sql } from 'kysely'
import type { ChatService } from '#test/support/chat/chat-service.ts'

/** All rows of all tables as one text, to look for what must not be stored. */
export async function allRows({ ctx: { db } }: Pick<ChatService, 'ctx'>): Promise<string> {
  const { rows: tables } =
    db.engine === 'postgres'
      ? await sql<{ name: string }>`
          select tablename as name from pg_tables where schemaname = current_schema()
        `.execute(db.read)
      : await sql<{ name: string }>`
          select name from pragma_table_list where type in ('table', 'shadow')
        `.execute(db.read)
  const rows = tables.map(async ({ name }) =>
    (await sql<object>`select * from ${sql.table(name)}`.execute(db.read)).rows.map((row) =>
      Object.values(row).map((value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString() : String(value),
      ),
    ),
  )
  return JSON.stringify(await Promise.all(rows))
}

import { sql } from 'kysely'
import type { Reader } from '#platform/db/database.ts'

/** Entries that are read, in a few milliseconds: any number of an agent's terms may begin alike. */
const maxEntries = 3000

/** Follows every character in the order of bytes, in which both engines sort terms. */
const last = '\u{10FFFF}'

export interface WantedTerms {
  readonly agentId: string
  /** How the terms begin. Distinct, and none begins with another. */
  readonly beginnings: readonly string[]
  readonly shortest: number
  readonly longest: number
}

/** Terms in the live segments of an agent that begin alike, each with how many chunks contain it. */
export async function listTerms(
  reader: Reader,
  { agentId, beginnings, shortest, longest }: WantedTerms,
): Promise<ReadonlyMap<string, number>> {
  const list = beginnings.map((beginning) => sql`(cast(${beginning} as text))`)
  const { rows } = await sql<{ readonly term: string; readonly holders: number }>`
    with
      segment as materialized (
        select id from knowledge_segments where agent_id = ${agentId} and status = 'live'
      ),
      wanted (beginning) as (values ${sql.join(list)})
    select term, cast(sum(chunk_count) as integer) as holders
    from (
      select entry.term, entry.chunk_count
      from segment cross join wanted cross join knowledge_entries as entry
      where entry.segment_id = segment.id
        and entry.term >= beginning and entry.term < beginning || cast(${last} as text)
      limit ${maxEntries}
    ) as known
    where length(term) between ${shortest} and ${longest}
    group by term
  `.execute(reader)
  return new Map(rows.map(({ term, holders }) => [term, holders]))
}

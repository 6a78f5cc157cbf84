import { sql, type ExpressionBuilder, type RawBuilder } from 'kysely'
import type { Reader } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

/** A word that fewer products have is looked up; one that more have is checked, product by product. */
const maxRare = 200

/** The products with a word that begins with the term; null when there are many. */
export async function findTermUses(
  reader: Reader,
  agentId: string,
  term: string,
): Promise<string[] | null> {
  const uses = await reader
    .selectFrom('product_terms')
    .select('product_id')
    .where('agent_id', '=', agentId)
    .where((e) => beginsWith(e, term))
    .limit(maxRare)
    .execute()
  return uses.length >= maxRare ? null : uses.map(({ product_id }) => product_id)
}

export function beginsWith(e: ExpressionBuilder<Schema, 'product_terms'>, term: string) {
  // U+10FFFF sorts after every letter in the order of bytes.
  return e.and([e('term', '>=', term), e('term', '<', `${term}\u{10ffff}`)])
}

/** A word that more products have counts as if this many had it. */
const mostCounted = 20_000

/** How many words of products begin with the term, up to a bound. */
export async function countTermUses(
  reader: Reader,
  agentId: string,
  term: string,
): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`
    select count(*) as count from (${usesOf(agentId, term)} limit ${mostCounted}) as uses
  `.execute(reader)
  return Number(rows[0]?.count ?? 0)
}

/**
 * The newest products before an id that have words which begin with each term. The cost is that of
 * reading all of these words in the index, however many products the agent has: both engines have one
 * plan for an intersection, whatever they know of the words.
 */
export async function findWithWords(
  reader: Reader,
  agentId: string,
  terms: readonly string[],
  page: { readonly limit: number; readonly before: string },
): Promise<string[]> {
  const uses = terms.map((term) => sql`${usesOf(agentId, term)} and product_id < ${page.before}`)
  const { rows } = await sql<{ readonly product_id: string }>`
    select distinct product_id from (${sql.join(uses, sql` intersect `)}) as uses
    order by product_id desc limit ${page.limit}
  `.execute(reader)
  return rows.map(({ product_id }) => product_id)
}

function usesOf(agentId: string, term: string): RawBuilder<unknown> {
  return sql`
    select product_id from product_terms
    where agent_id = ${agentId} and term >= ${term} and term < ${`${term}\u{10ffff}`}`
}

import { bookUsage, costOfUse, holdForUse } from '#features/credits/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'

/** The chat turn whose question was embedded. */
export interface BookedTurn {
  readonly sessionId: string
  readonly messageId: string
  readonly keyId: string | null
  readonly endUser: string | null
}

const noTurn = { sessionId: null, messageId: null, keyId: null, endUser: null }

export interface EmbeddingUse {
  readonly workspaceId: string
  readonly agentId: string
  readonly turn: BookedTurn | null
  /** The same use is booked once, however often the unit runs. */
  readonly idempotencyKey: string
}

/**
 * Reserves the most that embedding texts may cost, if credits are limited: no model counts more tokens
 * than bytes.
 *
 * @returns releases the reservation; to be called when the embedding is booked or has failed
 * @throws Fault credits_used_up, credit_cap_reached
 */
export function holdForEmbedding(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'log'>,
  model: string,
  { workspaceId, agentId, turn }: Omit<EmbeddingUse, 'idempotencyKey'>,
  texts: readonly string[],
): Promise<() => Promise<void>> {
  const { keyId, endUser } = turn ?? noTurn
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return holdForUse(ctx, { consumer: { workspaceId, agentId, keyId, endUser }, model }, bytes)
}

/**
 * Prices a call of an embedding model, before the unit that books it.
 *
 * @returns the step that books it
 */
export async function priceEmbedding(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  model: string,
  promptTokens: number,
): Promise<(tx: Tx, use: EmbeddingUse) => Promise<boolean>> {
  const costMicros = await costOfUse(ctx, model, { prompt: promptTokens, completion: 0 })
  const charged = { model, promptTokens, completionTokens: 0, costMicros }
  return (tx, { turn, ...use }) =>
    bookUsage(tx, ctx.clock.now(), { kind: 'embedding', ...(turn ?? noTurn), ...use, ...charged })
}

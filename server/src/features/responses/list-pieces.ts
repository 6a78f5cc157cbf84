import type { Context } from '#platform/context.ts'
import { listTexts, type TextRow } from './run-store.ts'

/** A piece of what a background response has streamed. */
export interface StreamedPiece {
  readonly n: number
  readonly messageId: string
  readonly text: string
  /** Whether the model thought it, instead of writing it. */
  readonly isReasoning: boolean
}

/** Rows of a quarter of a second each. */
const atOnce = 100

/** What a background response has streamed after its `n`th piece; the caller has checked whose it is. */
export async function* streamedPieces(
  { db }: Pick<Context, 'db'>,
  responseId: string,
  after = -1,
): AsyncGenerator<StreamedPiece> {
  let last = after
  for (;;) {
    const rows: readonly TextRow[] = await listTexts(db.read, responseId, last, atOnce)
    for (const { n, message_id: messageId, content, reasoning } of rows)
      yield { n, messageId, text: reasoning ?? content, isReasoning: reasoning !== null }
    last = rows.at(-1)?.n ?? last
    if (rows.length < atOnce) return
  }
}

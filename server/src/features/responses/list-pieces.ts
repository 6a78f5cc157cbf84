import type { Context } from '#platform/context.ts'
import { listTexts, type TextRow } from './run-store.ts'

/** A piece of what a background response has streamed. */
export interface StreamedPiece {
  readonly n: number
  readonly messageId: string
  readonly text: string
  /** What it is part of. */
  readonly kind: 'text' | 'refusal' | 'reasoning'
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
    for (const row of rows) yield pieceOf(row)
    last = rows.at(-1)?.n ?? last
    if (rows.length < atOnce) return
  }
}

function pieceOf({
  n,
  message_id: messageId,
  content,
  refusal,
  reasoning,
}: TextRow): StreamedPiece {
  if (reasoning !== null) return { n, messageId, text: reasoning, kind: 'reasoning' }
  if (refusal !== null) return { n, messageId, text: refusal, kind: 'refusal' }
  return { n, messageId, text: content, kind: 'text' }
}

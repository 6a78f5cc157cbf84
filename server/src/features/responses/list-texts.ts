import type { Context } from '#platform/context.ts'
import { listTexts, type TextRow } from './run-store.ts'

/** What a message of a background response has streamed. */
export interface StreamedText {
  readonly n: number
  readonly messageId: string
  readonly text: string
}

/** Rows of a quarter of a second each. */
const atOnce = 100

/** What a background response has streamed after its `n`th text; the caller has checked whose it is. */
export async function* streamedTexts(
  { db }: Pick<Context, 'db'>,
  responseId: string,
  after = -1,
): AsyncGenerator<StreamedText> {
  let last = after
  for (;;) {
    const rows: readonly TextRow[] = await listTexts(db.read, responseId, last, atOnce)
    for (const { n, message_id: messageId, content: text } of rows) yield { n, messageId, text }
    last = rows.at(-1)?.n ?? last
    if (rows.length < atOnce) return
  }
}

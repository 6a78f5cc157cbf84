import { readQuestion } from '#features/conversations/index.ts'
import type { MessagePart } from '#features/turns/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { OpenPage } from './open-page.ts'
import { partsOf, plainName, type VisitorFile } from './visitor-files.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

/** What a visitor asks. */
export interface Question {
  readonly text: string
  /** Null for text alone. */
  readonly parts: readonly MessagePart[] | null
  readonly fileCount: number
  /** What is moderated before the files are read: the words, and what the files are called. */
  readonly words: string
}

interface Brought {
  readonly text: string
  readonly files: readonly VisitorFile[]
}

/** @throws Fault message_empty, message_too_long, files_refused, file_count, file_bytes, image_unreadable, file_format_unknown */
export function questionOf(
  { config }: Pick<Context, 'config'>,
  page: OpenPage,
  { text, files }: Brought,
): Question {
  if (text.trim() === '' && files.length === 0) throw new Fault(faults.message_empty)
  requireShort(page, text)
  const words = [text, ...files.map(({ name }) => plainName(name))].join('\n')
  const parts = partsOf(config, page, { text, files })
  return { text, parts, fileCount: files.length, words }
}

/**
 * A question of the visitor's own conversation once more, with its files, which the browser does not get
 * back.
 *
 * @throws Fault record_not_found, files_refused, message_too_long
 */
export async function questionAgain(
  ctx: Pick<Context, 'db'>,
  page: OpenPage,
  of: { readonly conversationId: string | null; readonly messageId: string },
): Promise<Question> {
  const { conversationId, messageId } = of
  if (conversationId === null) throw new Fault(commonFaults.record_not_found)
  const { text, parts } = await readQuestion(ctx, { conversationId, messageId })
  requireShort(page, text)
  const files = (parts ?? []).filter(({ type }) => type !== 'text')
  if (files.length > 0 && !page.settings.visitor_files) throw new Fault(faults.files_refused)
  const names = files.flatMap((file) => (file.type === 'file' ? [file.name] : []))
  return { text, parts, fileCount: files.length, words: [text, ...names].join('\n') }
}

function requireShort({ settings }: OpenPage, text: string): void {
  const { message_characters: limit } = settings
  if (text.length > limit) throw new Fault(faults.message_too_long, { limit })
}

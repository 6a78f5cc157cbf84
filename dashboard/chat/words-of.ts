import { Refused } from './api.ts'
import { limitsOf } from './attachments.ts'
import { textOf, type PageData } from './page-data.ts'
import { waitInWords } from './wait-in-words.ts'

/** What a visitor reads of an error. */
export function wordsOf(data: PageData, error: unknown): string {
  if (!(error instanceof Refused)) return textOf(data, 'offline')
  const { code, limit = 0, retry_after: seconds = 5 } = error.refusal
  const key = words[code] ?? 'failed'
  if (key === 'fileLimits') return limitsOf(data)
  return textOf(data, key, { number: limit, when: waitInWords(data.language, seconds) })
}

/** The text of each code that the server refuses with. */
const words: Readonly<Record<string, string>> = {
  visitor_limited: 'limited',
  visitor_files_limited: 'filesLimited',
  captcha_required: 'captchaFailed',
  busy: 'limited',
  daily_budget_used: 'budget',
  page_paused: 'paused',
  message_too_long: 'tooLong',
  message_refused: 'refused',
  conversation_full: 'conversationFull',
  file_count: 'fileLimits',
  file_bytes: 'fileLimits',
  file_too_large: 'fileLimits',
  file_too_long: 'fileLimits',
  image_unreadable: 'fileUnreadable',
  file_unreadable: 'fileUnreadable',
  file_format_unknown: 'fileFormat',
  images_not_supported: 'fileFormat',
  files_not_supported: 'noFiles',
  files_refused: 'noFiles',
  visit_ended: 'ended',
  visit_refused: 'restricted',
  page_unknown: 'unavailable',
  page_not_on_plan: 'unavailable',
}

import type { ActionCall } from '#features/tool-calls/index.ts'
import type { Citation } from '#features/turns/index.ts'

/** What visitors see of a citation: never ids or scores. */
export function shownCitations(citations: readonly Citation[]) {
  return citations.map(({ title, url, page, heading, passage }) => ({
    title,
    url: url !== null && /^https?:\/\//i.test(url) ? url : null,
    page,
    heading,
    passage,
  }))
}

/** The calls that the visitor's next message decides on. */
export function awaiting(calls: readonly ActionCall[]) {
  return calls
    .filter(({ status }) => status === 'awaiting_confirmation')
    .map(({ title, arguments: given }) => ({ title, arguments: given }))
}

import type { Consumer } from './credit-entry.ts'
import type { CapPeriod } from './period.ts'

export const capSubjects = ['workspace', 'agent', 'key', 'end_user'] as const
export type CapSubject = (typeof capSubjects)[number]

/** The subject id of a cap that applies to each end user separately. */
export const everyEndUser = '*'

/** The most that may be used in each day or month. */
export interface Cap {
  readonly subject: CapSubject
  /** Empty for the workspace; `*` for each end user. */
  readonly subjectId: string
  readonly period: CapPeriod
  readonly amountMicros: number
}

/** The id by which caps of a subject apply to a consumer; null when they do not. */
function subjectIdOf(consumer: Consumer, subject: CapSubject): string | null {
  switch (subject) {
    case 'workspace':
      return ''
    case 'agent':
      return consumer.agentId
    case 'key':
      return consumer.keyId
    case 'end_user':
      return consumer.endUser
  }
}

/**
 * The caps that apply to a consumer, each with its subject's id. A cap for a named end user overrides
 * the one for every end user.
 */
export function capsFor(caps: readonly Cap[], consumer: Consumer): Cap[] {
  const held = new Map<string, Cap>()
  for (const cap of caps) {
    const subjectId = subjectIdOf(consumer, cap.subject)
    if (subjectId === null) continue
    const isNamed = cap.subjectId === subjectId
    if (!isNamed && !(cap.subject === 'end_user' && cap.subjectId === everyEndUser)) continue
    const place = `${cap.subject} ${cap.period}`
    if (isNamed || !held.has(place)) held.set(place, { ...cap, subjectId })
  }
  return [...held.values()]
}

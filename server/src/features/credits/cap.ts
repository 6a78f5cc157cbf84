import type { Consumer } from './credit-entry.ts'
import type { CapPeriod } from './period.ts'

export const capSubjects = ['workspace', 'agent', 'key', 'end_user'] as const
export type CapSubject = (typeof capSubjects)[number]

/** As the subject id of a cap: each end user by itself. */
export const everyEndUser = '*'

/** At most so much in each day or month. */
export interface Cap {
  readonly subject: CapSubject
  /** Empty for the workspace; `*` for each end user. */
  readonly subjectId: string
  readonly period: CapPeriod
  readonly amountMicros: number
}

/** Under which id a consumer falls under caps of a subject; null when it does not. */
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
 * The caps that hold for a consumer, each for the very subject: one that names an end user goes
 * before the one of every end user.
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

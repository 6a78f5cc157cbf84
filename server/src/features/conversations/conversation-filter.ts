import type { PageRequest } from '#kernel/page.ts'

export const ratings = ['up', 'down'] as const
export type Rating = (typeof ratings)[number]

/** A rating as it is stored, a number above or below 0, in words; null for none. */
export function ratingOf(stored: number | null | undefined): Rating | null {
  if (stored === null || stored === undefined) return null
  return stored > 0 ? 'up' : 'down'
}

/** Filters of a list of conversations; an absent one does not narrow it. */
export interface ConversationFilter {
  /** Words that must all occur in the conversation, whoever said them. */
  readonly query?: string | undefined
  /** Begun at this moment or later: epoch milliseconds. */
  readonly from?: number | undefined
  /** Begun before this moment. */
  readonly to?: number | undefined
  /** Where it came in. */
  readonly source?: string | undefined
  readonly endUser?: string | undefined
  /** An answer of it was rated so. */
  readonly rating?: Rating | undefined
  /** Whether an answer was cut short. */
  readonly hasError?: boolean | undefined
  /** Whether knowledge was searched in vain. */
  readonly unanswered?: boolean | undefined
  /** An answer came from this model. */
  readonly model?: string | undefined
  readonly minMessages?: number | undefined
}

export type ConversationQuery = ConversationFilter & PageRequest

import type { PageRequest } from '#kernel/page.ts'

export const ratings = ['up', 'down'] as const
export type Rating = (typeof ratings)[number]

/** A stored rating, a number above or below 0, as a word; null if there is none. */
export function ratingOf(stored: number | null | undefined): Rating | null {
  if (stored === null || stored === undefined) return null
  return stored > 0 ? 'up' : 'down'
}

/** Filters for a list of conversations; an absent filter matches everything. */
export interface ConversationFilter {
  /** Words that must all occur in the conversation, in any message. */
  readonly query?: string | undefined
  /** Begun at this time or later: epoch milliseconds. */
  readonly from?: number | undefined
  /** Begun before this time. */
  readonly to?: number | undefined
  /** Its channel. */
  readonly source?: string | undefined
  readonly endUser?: string | undefined
  /** One of its answers has this rating. */
  readonly rating?: Rating | undefined
  /** Whether an answer is incomplete. */
  readonly hasError?: boolean | undefined
  /** Whether the knowledge had no answer to a question. */
  readonly unanswered?: boolean | undefined
  /** An answer came from this model. */
  readonly model?: string | undefined
  readonly minMessages?: number | undefined
}

export type ConversationQuery = ConversationFilter & PageRequest

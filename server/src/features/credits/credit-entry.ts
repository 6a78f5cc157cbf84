export { microsPerCredit } from '#kernel/plan.ts'

/** Kinds of use. Their amounts are negative, or zero if nothing is charged. */
const useKinds = ['turn', 'embedding', 'action', 'summary'] as const
/**
 * Kinds of credits: received, lapsed or corrected. Sums take every other kind as use: during a rolling
 * upgrade, the next version may book a kind of use that this one does not know.
 */
export const creditKinds = ['grant', 'expiry', 'adjustment', 'purchase'] as const
export const entryKinds = [...useKinds, ...creditKinds] as const

type UseKind = (typeof useKinds)[number]
export type CreditKind = (typeof creditKinds)[number]
export type EntryKind = (typeof entryKinds)[number]

/** Who uses credits. Caps can be set on each part. */
export interface Consumer {
  readonly workspaceId: string
  readonly agentId: string | null
  /** The chat key of the request, if there is one. */
  readonly keyId: string | null
  /** The end user that the calling application names. */
  readonly endUser: string | null
}

/** A use and its cost. */
export interface Use extends Consumer {
  readonly kind: Exclude<UseKind, 'turn' | 'summary'>
  readonly sessionId: string | null
  readonly messageId: string | null
  readonly model: string | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  /** Not negative; see `costOfUse`. */
  readonly costMicros: number
  /** Uses with the same key are booked only once. The id of the call or the batch. */
  readonly idempotencyKey: string
}

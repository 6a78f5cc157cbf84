/** A credit is a million micros: what one token costs is a whole number of them. */
export const microsPerCredit = 1_000_000

/** What is used: its amounts are negative, or zero where nothing is charged. */
export const useKinds = ['turn', 'embedding', 'action'] as const
/** What a workspace is given, and what of it lapses or is put right. */
const creditKinds = ['grant', 'expiry', 'adjustment', 'purchase'] as const
export const entryKinds = [...useKinds, ...creditKinds] as const

export type UseKind = (typeof useKinds)[number]
export type CreditKind = (typeof creditKinds)[number]
export type EntryKind = (typeof entryKinds)[number]

/** Whose use it is: what caps are set on. */
export interface Consumer {
  readonly workspaceId: string
  readonly agentId: string | null
  /** The chat key that asked; null where none did. */
  readonly keyId: string | null
  /** Whom the calling application says it speaks for. */
  readonly endUser: string | null
}

/** Something that was used, and what it cost. */
export interface Use extends Consumer {
  readonly kind: Exclude<UseKind, 'turn'>
  readonly sessionId: string | null
  readonly messageId: string | null
  readonly model: string | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  /** Not negative; see `costOfUse`. */
  readonly costMicros: number
  /** What makes it one use however often it is booked: the id of the call, the batch. */
  readonly idempotencyKey: string
}

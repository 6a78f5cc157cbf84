interface Limit {
  /** The most unless `LIMITS` says otherwise. */
  readonly most: number
  /** What is counted, in the plural. */
  readonly things: string
  readonly per: 'person' | 'workspace' | 'agent'
}

/**
 * Bounds on what a tenant can make grow. They protect the instance and its other tenants, so people
 * rarely reach them; what a plan allows is in `plan.ts`.
 */
export const limits = {
  workspaces_per_person: { most: 20, things: 'workspaces', per: 'person' },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof limits

export function isLimitName(text: string): text is LimitName {
  return Object.hasOwn(limits, text)
}

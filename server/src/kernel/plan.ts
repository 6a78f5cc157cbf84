/** Plans as data. `null` is unlimited. */
export interface PlanLimits {
  /** The chat API answers only on a paid plan (interface: Limits). */
  readonly chatApi: boolean
  /** Requests to the MCP server per minute, for each person and workspace. */
  readonly mcpRequestsPerMinute: number | null
  readonly agents: number | null
  readonly sourcesPerAgent: number | null
  readonly members: number | null
  /** Credits added every month; `PLAN_CREDITS` can override this. */
  readonly includedCredits: number | null
}

const paid = {
  chatApi: true,
  agents: null,
  sourcesPerAgent: null,
  members: null,
  includedCredits: null,
} as const

export const plans = {
  free: {
    chatApi: false,
    mcpRequestsPerMinute: 30,
    agents: 3,
    sourcesPerAgent: 10,
    members: 1,
    includedCredits: 100,
  },
  builder: { ...paid, mcpRequestsPerMinute: 120 },
  studio: { ...paid, mcpRequestsPerMinute: 300 },
  enterprise: { ...paid, mcpRequestsPerMinute: null },
} as const satisfies Record<string, PlanLimits>

export type Plan = keyof typeof plans

export const planNames = ['free', 'builder', 'studio', 'enterprise'] as const satisfies Plan[]

export function isPlan(text: string): text is Plan {
  return Object.hasOwn(plans, text)
}

/** Plans as data. `null` is unlimited. */
export interface PlanLimits {
  /** The chat API answers only on a paid plan (interface: Limits). */
  readonly chatApi: boolean
  /** Requests to the tool-protocol server a minute, keyed by person and workspace. */
  readonly mcpRequestsPerMinute: number | null
  readonly agents: number | null
  readonly sourcesPerAgent: number | null
  readonly members: number | null
  /** Credits given every month; `PLAN_CREDITS` may say otherwise. */
  readonly includedCredits: number | null
}

export const plans = {
  free: {
    chatApi: false,
    mcpRequestsPerMinute: 30,
    agents: 3,
    sourcesPerAgent: 10,
    members: 1,
    includedCredits: 100,
  },
  builder: {
    chatApi: true,
    mcpRequestsPerMinute: 120,
    agents: null,
    sourcesPerAgent: null,
    members: null,
    includedCredits: null,
  },
  studio: {
    chatApi: true,
    mcpRequestsPerMinute: 300,
    agents: null,
    sourcesPerAgent: null,
    members: null,
    includedCredits: null,
  },
  enterprise: {
    chatApi: true,
    mcpRequestsPerMinute: null,
    agents: null,
    sourcesPerAgent: null,
    members: null,
    includedCredits: null,
  },
} as const satisfies Record<string, PlanLimits>

export type Plan = keyof typeof plans

export const planNames = ['free', 'builder', 'studio', 'enterprise'] as const satisfies Plan[]

export function isPlan(text: string): text is Plan {
  return Object.hasOwn(plans, text)
}

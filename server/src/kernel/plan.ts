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

/** A credit is a million micros. The cost of a use is a whole number of micros. */
export const microsPerCredit = 1_000_000

/**
 * The credits that a plan includes each month, in micros; null is unlimited.
 *
 * @param planCredits `PLAN_CREDITS`, in credits
 */
export function includedMicros(
  { planCredits }: { readonly planCredits: Readonly<Partial<Record<Plan, number | null>>> },
  plan: Plan,
): number | null {
  const limits: PlanLimits = plans[plan]
  const credits = planCredits[plan] === undefined ? limits.includedCredits : planCredits[plan]
  return credits === null ? null : credits * microsPerCredit
}

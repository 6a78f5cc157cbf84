import { isPlan, type Plan } from '#kernel/plan.ts'
import { integer, list, variable } from './variable.ts'

/** Requests a minute; null is unlimited. */
export type PlanRates = Readonly<Partial<Record<Plan, number | null>>>

const rates = list.transform((items, context): PlanRates => {
  const entries = items.map(readRate)
  const bad = items.filter((_, index) => entries[index] === null)
  for (const item of bad)
    context.addIssue({
      code: 'custom',
      message: `must be pairs like builder=120 or free=unlimited, and ${JSON.stringify(item)} is not one`,
    })
  return Object.fromEntries(entries.filter((entry) => entry !== null))
})

function readRate(item: string): [Plan, number | null] | null {
  const [plan = '', rate = '', ...rest] = item.split('=').map((part) => part.trim())
  if (!isPlan(plan) || rest.length > 0) return null
  if (rate === 'unlimited') return [plan, null]
  return /^[1-9]\d{0,8}$/.test(rate) ? [plan, Number(rate)] : null
}

const origins = list
  .refine(
    (items) => items.every((item) => /^https?:\/\//i.test(item) && URL.canParse(item)),
    'must be origins like https://app.example.com, separated by commas',
  )
  .transform((items) => items.map((item) => new URL(item).origin))

/** The tool-protocol server. */
export const mcpVariables = {
  MCP_RATE_LIMITS: variable(
    rates,
    'Requests a minute to the MCP server by plan, for a person in a workspace, where they differ from the plans’ own: `builder=120,studio=300,free=unlimited`.',
    { fallback: '' },
  ),
  MCP_FAILED_CALLS_LIMIT: variable(
    integer(1, 1_000_000),
    'Calls of the MCP server a minute, from one client address, that are refused before their caller is known; those beyond get 429 instead of 401.',
    { fallback: '60' },
  ),
  MCP_ALLOWED_ORIGINS: variable(
    origins,
    'Origins of web pages, besides that of `BASE_URL`, that may call the MCP server (comma-separated).',
    { fallback: '' },
  ),
} as const

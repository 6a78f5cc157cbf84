import { integer, limitsByPlan, list, variable } from './variable.ts'

const origins = list
  .refine(
    (items) => items.every((item) => /^https?:\/\//i.test(item) && URL.canParse(item)),
    'must be origins like https://app.example.com, separated by commas',
  )
  .transform((items) => items.map((item) => new URL(item).origin))

/** The MCP server. */
export const mcpVariables = {
  MCP_RATE_LIMITS: variable(
    limitsByPlan(1, 'builder=120'),
    'Maximum number of MCP requests per person, workspace and minute, by plan, where they differ from the defaults: `builder=120,studio=300,free=unlimited`.',
    { fallback: '' },
  ),
  MCP_FAILED_CALLS_LIMIT: variable(
    integer(1, 1_000_000),
    'MCP calls per client address and minute that are rejected before the caller is identified. Further ones get status 429 instead of 401.',
    { fallback: '60' },
  ),
  MCP_ALLOWED_ORIGINS: variable(
    origins,
    'Origins of web pages that may call the MCP server in addition to the origin of `BASE_URL` (comma-separated).',
    { fallback: '' },
  ),
} as const

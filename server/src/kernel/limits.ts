interface Counted {
  /** What is counted, in the plural. */
  readonly things: string
  readonly per: 'person' | 'workspace' | 'agent' | 'conversation'
}

interface Limit extends Counted {
  /** The most unless `LIMITS` says otherwise. */
  readonly most: number
}

interface FixedLimit extends Counted {
  /** Null where only rate limits and retention bound it. */
  readonly most: number | null
}

/**
 * Bounds on what a tenant can make grow. They protect the instance and its other tenants, so people
 * rarely reach them; what a plan allows is in `plan.ts`.
 */
export const limits = {
  workspaces_per_person: { most: 20, things: 'workspaces', per: 'person' },
  agents_per_workspace: { most: 1_000, things: 'agents', per: 'workspace' },
  members_per_workspace: { most: 1_000, things: 'members', per: 'workspace' },
  invitations_per_workspace: { most: 500, things: 'open invitations', per: 'workspace' },
  keys_per_workspace: { most: 2_000, things: 'keys', per: 'workspace' },
  providers_per_workspace: { most: 50, things: 'model providers', per: 'workspace' },
  credit_caps_per_workspace: { most: 2_000, things: 'credit caps', per: 'workspace' },
  storage_bytes_per_workspace: {
    most: 20_000_000_000,
    things: 'bytes of sources and uploaded files',
    per: 'workspace',
  },
  chunks_per_workspace: { most: 5_000_000, things: 'chunks of sources', per: 'workspace' },
  queued_sources_per_workspace: {
    most: 5_000,
    things: 'sources that wait to be read',
    per: 'workspace',
  },
  messages_per_workspace: { most: 10_000_000, things: 'stored messages', per: 'workspace' },
  message_bytes_per_workspace: {
    most: 50_000_000_000,
    things: 'bytes of messages',
    per: 'workspace',
  },
  messages_per_conversation: { most: 20_000, things: 'messages', per: 'conversation' },
  counted_users_per_workspace: {
    most: 10_000_000,
    things: 'end users counted by analytics',
    per: 'workspace',
  },
  domains_per_workspace: { most: 100, things: 'domains of chat pages', per: 'workspace' },
  sources_per_agent: { most: 5_000, things: 'sources', per: 'agent' },
  files_per_agent: { most: 10_000, things: 'uploaded files', per: 'agent' },
  products_per_agent: { most: 100_000, things: 'products', per: 'agent' },
  webhooks_per_agent: { most: 20, things: 'webhooks', per: 'agent' },
} as const satisfies Record<string, Limit>

/** Limits that `LIMITS` does not change: the model reads these with every turn, or a turn pays for them. */
export const fixedLimits = {
  actions_per_agent: { most: 64, things: 'actions', per: 'agent' },
  variables_per_agent: { most: 100, things: 'variables', per: 'agent' },
  mcp_servers_per_agent: { most: 10, things: 'MCP servers', per: 'agent' },
  conversations_per_workspace: { most: null, things: 'conversations', per: 'workspace' },
} as const satisfies Record<string, FixedLimit>

export type FixedLimitName = keyof typeof fixedLimits
export type LimitName = keyof typeof limits

export function isLimitName(text: string): text is LimitName {
  return Object.hasOwn(limits, text)
}

/** The most of a resource; null is unlimited. */
export function allowedOf(
  config: { readonly limits: Readonly<Partial<Record<LimitName, number | null>>> },
  name: LimitName,
): number | null {
  const own = config.limits[name]
  return own === undefined ? limits[name].most : own
}

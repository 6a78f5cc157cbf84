import { defineFaults, withFacts } from '#kernel/fault.ts'

export const toolServerFaults = defineFaults({
  /** Another server of the agent has this name. */
  mcp_server_name_taken: withFacts<{ name: string }>('conflict'),
  too_many_mcp_servers: withFacts<{ allowed: number }>('conflict'),
  mcp_server_invalid: withFacts<{ problem: string }>('invalid'),
  /** It did not answer as an MCP server does. */
  mcp_server_unusable: withFacts<{ problem: string }>('invalid'),
})

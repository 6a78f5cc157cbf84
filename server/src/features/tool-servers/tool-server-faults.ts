import { defineFaults } from '#kernel/fault.ts'

export const toolServerFaults = defineFaults({
  /** Facts: `name`. Another server of the agent has it. */
  mcp_server_name_taken: 'conflict',
  /** Facts: `allowed`. */
  too_many_mcp_servers: 'conflict',
  /** Facts: `problem`. */
  mcp_server_invalid: 'invalid',
  /** Facts: `problem`. It did not answer as such a server does. */
  mcp_server_unusable: 'invalid',
})

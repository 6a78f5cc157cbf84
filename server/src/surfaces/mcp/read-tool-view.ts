import type { HonoRequest } from 'hono'
import { Fault } from '#kernel/fault.ts'
import { mcpFaults } from './fault-table.ts'
import { toolsets, type ToolView } from './tools.ts'

/**
 * Reads `?toolsets=apps,knowledge&read_only=true`, or the headers `X-MCP-Toolsets` and `X-MCP-
 * Readonly`. If both are present, both restrict the list. A repeated parameter is one list.
 *
 * @throws Fault toolset_unknown
 */
export function readToolView(request: HonoRequest): ToolView {
  const lists = [request.queries('toolsets')?.join(), request.header('x-mcp-toolsets')]
  const flags = [...(request.queries('read_only') ?? []), request.header('x-mcp-readonly')]
  const narrowed = lists.map(readToolsets).filter(({ size }) => size > 0)
  return {
    toolsets:
      narrowed.length === 0 ? null : narrowed.reduce((one, other) => one.intersection(other)),
    readOnly: flags.some(isSet),
  }
}

/** Empty if the list is absent or empty: the settings of some clients produce `?toolsets=`. */
function readToolsets(list = ''): Set<string> {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  for (const name of names)
    if (!toolsets().includes(name))
      throw new Fault(mcpFaults.toolset_unknown, { toolset: name.slice(0, 100), known: toolsets() })
  return new Set(names)
}

/** Any value except false and 0 turns it on: in doubt, tools that change something stay hidden. */
function isSet(flag: string | undefined): boolean {
  return flag !== undefined && !/^(?:false|0)$/i.test(flag)
}

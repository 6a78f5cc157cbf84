import { operations } from '#operations/catalogue.ts'
import { inputJsonSchema, outputJsonSchema } from '#operations/json-schema.ts'
import type { Operation } from '#operations/operation.ts'
import { toolInput, toolOutput, type ToolSchema } from './tool-schema.ts'

/** The part of the tools that a connection asked to see. It can only take away. */
export interface ToolView {
  /** Null shows all. */
  readonly toolsets: ReadonlySet<string> | null
  readonly readOnly: boolean
}

/** A tool as `tools/list` shows it. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ToolSchema
  readonly outputSchema: ToolSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

interface Tool {
  readonly operation: Operation
  readonly definition: ToolDefinition
}

let made: readonly Tool[] | null = null

/** Computed once, at the first request: the order is the catalogue's. */
function tools(): readonly Tool[] {
  made ??= operations
    .filter(({ faces }) => faces.includes('mcp'))
    .map((operation) => ({ operation, definition: define(operation) }))
  return made
}

/** The names of what `?toolsets=` may list. */
export function toolsets(): readonly string[] {
  return [...new Set(tools().map(({ operation }) => operation.toolset))]
}

/** What `tools/list` answers. */
export function listTools(view: ToolView): readonly ToolDefinition[] {
  return tools()
    .filter(({ operation }) => isOffered(view, operation))
    .map(({ definition }) => definition)
}

/** True for a tool of this connection: what it hid from itself it cannot call either. */
export function isOffered(view: ToolView, { faces, toolset, hints }: Operation): boolean {
  if (!faces.includes('mcp')) return false
  if (view.readOnly && !hints.readOnly) return false
  return view.toolsets === null || view.toolsets.has(toolset)
}

function define(operation: Operation): ToolDefinition {
  const { name, title, description, hints } = operation
  return {
    name,
    title,
    description,
    inputSchema: toolInput(inputJsonSchema(operation)),
    outputSchema: toolOutput(outputJsonSchema(operation)),
    annotations: {
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  }
}

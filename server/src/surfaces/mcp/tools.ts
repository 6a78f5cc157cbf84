import type { Actor } from '#kernel/actor.ts'
import type { Plan } from '#kernel/plan.ts'
import { operations } from '#operations/catalogue.ts'
import { inputJsonSchema, outputJsonSchema } from '#operations/json-schema.ts'
import type { Operation } from '#operations/operation.ts'
import { deduplicateSchemas } from './deduplicate-schemas.ts'
import { toolInput, toolOutput, type ToolDefinition } from './tool-schema.ts'

/** The tools that a connection requests. A view only restricts the list. */
export interface ToolView {
  /** Null shows all. */
  readonly toolsets: ReadonlySet<string> | null
  readonly readOnly: boolean
}

/** The caller, and the tools they asked to see. */
export interface Caller {
  readonly actor: Actor
  /** Of the actor's default workspace. */
  readonly plan: Plan
  /** Whose rate limit its requests count towards. */
  readonly rateHolder: string
  readonly view: ToolView
  /** The result is filled in later: see `ShortAnswers`. */
  readonly getsEmptyResult?: boolean
}

interface Tool {
  readonly operation: Operation
  readonly definition: ToolDefinition
}

let made: readonly Tool[] | null = null

/** Computed once, at the first request, in the catalogue's order. */
function tools(): readonly Tool[] {
  made ??= operations
    .filter(({ surfaces }) => surfaces.includes('mcp'))
    .map((operation) => ({ operation, definition: define(operation) }))
  return made
}

/** The names that `?toolsets=` may contain. */
export function toolsets(): readonly string[] {
  return [...new Set(tools().map(({ operation }) => operation.toolset))]
}

/** The result of `tools/list`. */
export function listTools(view: ToolView): readonly ToolDefinition[] {
  const offered = tools().filter(({ operation }) => isOffered(view, operation))
  return deduplicateSchemas(offered.map(({ definition }) => definition))
}

const lists = new Map<string, Buffer>()

/**
 * The list as JSON, serialised and encoded once for each view: it is 60 kB, and doing this costs more
 * than the rest of the request.
 */
export function listToolsBytes(view: ToolView): Buffer {
  // In the catalogue's order, so that each view has one cache key.
  const shown = view.toolsets === null ? '*' : toolsets().filter((name) => view.toolsets?.has(name))
  const key = `${String(shown)} ${view.readOnly}`
  const bytes = lists.get(key) ?? Buffer.from(JSON.stringify(listTools(view)))
  lists.set(key, bytes)
  return bytes
}

/** True for a tool that this connection shows; it cannot call the others either. */
export function isOffered(view: ToolView, { surfaces, toolset, hints }: Operation): boolean {
  if (!surfaces.includes('mcp')) return false
  if (view.readOnly && !hints.readOnly) return false
  return view.toolsets === null || view.toolsets.has(toolset)
}

function define(operation: Operation): ToolDefinition {
  const { name, title, description, hints, peopleOnlyFields } = operation
  return {
    name,
    title,
    description,
    inputSchema: toolInput(inputJsonSchema(operation), peopleOnlyFields),
    outputSchema: toolOutput(outputJsonSchema(operation)),
    annotations: {
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  }
}

import type { ToolDefinition } from './tool-definition.ts'
import { objectIn, type ToolSchema } from './tool-schema.ts'

/**
 * Tools of one list say the same things: five answer an agent, two take the parameters of an action.
 * An assistant pays for each of them on every message, so that a list says them once.
 */

/** Shorter fields cost less than the words that would point elsewhere. */
const minCharacters = 300

/** The tools of a list, as they are in it: it must hold all that they point to. */
export function sayOnce(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const showing = showingAnswers(tools)
  const takenBy = new Map<string, string>()
  return tools.map((tool) => ({
    ...tool,
    inputSchema: pointing(tool, takenBy),
    outputSchema: answering(tool, showing),
  }))
}

/** By the shape of an answer, the tool that shows it: the first that reads it, or else the first. */
function showingAnswers(tools: readonly ToolDefinition[]): ReadonlyMap<string, string> {
  const showing = new Map<string, ToolDefinition>()
  for (const tool of tools) {
    const shape = JSON.stringify(tool.outputSchema)
    const other = showing.get(shape)
    const reads = tool.annotations.readOnlyHint && other?.annotations.readOnlyHint === false
    if (other === undefined || reads) showing.set(shape, tool)
  }
  return new Map([...showing].map(([shape, { name }]) => [shape, name]))
}

/** What a tool answers: clients look for a schema on every tool, so that one that points is one, too. */
function answering(tool: ToolDefinition, showing: ReadonlyMap<string, string>): ToolSchema {
  const shape = JSON.stringify(tool.outputSchema)
  const other = showing.get(shape)
  if (other === undefined || other === tool.name || shape.length < minCharacters)
    return tool.outputSchema
  return { type: 'object', description: `As in ${other}` }
}

/** What a tool takes, with long fields that an earlier tool takes as well by the name of that tool. */
function pointing({ name, inputSchema }: ToolDefinition, takenBy: Map<string, string>): ToolSchema {
  const fields = Object.entries(objectIn(inputSchema.properties)).map(([field, value]) => {
    const { default: _, ...schema } = objectIn(value)
    const said = JSON.stringify([field, schema])
    const other = takenBy.get(said)
    if (other === undefined) takenBy.set(said, name)
    if (other === undefined || said.length < minCharacters) return [field, value]
    return [field, { type: schema.type, description: `As in ${other}` }]
  })
  return { ...inputSchema, properties: Object.fromEntries(fields) }
}

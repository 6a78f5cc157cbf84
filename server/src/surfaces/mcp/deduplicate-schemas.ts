import { objectIn, typeOf, type ToolDefinition, type ToolSchema } from './tool-schema.ts'

/**
 * Tools in one list share schemas: five return an agent, two accept the parameters of an action. An
 * assistant pays for every token of the list with every message, so one tool contains the full
 * schema and the others refer to it (`As in get_app`).
 */

/** Shorter schemas are not worth a reference. */
const minCharacters = 300
/** The same for one field of an input. */
const minField = 120

/** Call it with exactly the tools of one list: every reference must point to a tool in it. */
export function deduplicateSchemas(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const showing = showingAnswers(tools)
  const takenBy = new Map<string, string>()
  return tools.map((tool) => ({
    ...tool,
    inputSchema: pointing(tool, takenBy),
    outputSchema: answering(tool, showing),
  }))
}

/** For each output schema, the tool that contains it in full: if possible one that only reads. */
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

/**
 * The output schema, or a reference to it as an object schema, which clients expect on every tool.
 */
function answering(tool: ToolDefinition, showing: ReadonlyMap<string, string>): ToolSchema {
  const shape = JSON.stringify(tool.outputSchema)
  const other = showing.get(shape)
  if (other === undefined || other === tool.name || shape.length < minCharacters)
    return tool.outputSchema
  return { type: 'object', description: `As in ${other}` }
}

/** The input schema, with references in place of long fields that an earlier tool also has. */
function pointing({ name, inputSchema }: ToolDefinition, takenBy: Map<string, string>): ToolSchema {
  const fields = Object.entries(objectIn(inputSchema.properties)).map(([field, value]) => {
    const { default: _, ...schema } = objectIn(value)
    const said = JSON.stringify([field, schema])
    const other = takenBy.get(said)
    if (other === undefined) takenBy.set(said, name)
    if (other === undefined || said.length < minField) return [field, value]
    return [field, { ...typeOf(schema, false), description: `As in ${other}` }]
  })
  return { ...inputSchema, properties: Object.fromEntries(fields) }
}

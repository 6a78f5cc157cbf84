import { z } from 'zod'
import { operations } from '#operations/catalogue.ts'
import type { Operation } from '#operations/operation.ts'
import { inputSchema } from '#operations/run-operation.ts'
import type { Command } from './command.ts'

export const operationsCommand: Command = {
  usage: 'operations',
  help: `
Prints the catalogue of management operations as one JSON array: name, title, description, scope,
the minimum role in the workspace (null if the operation needs no workspace), hints, surfaces
(\`faces\`), and the JSON Schemas of input and output.
\`parley call <name> '<json>'\` runs one.`,
  options: {},
  maxPositionals: 0,
  async run({ stdout }) {
    stdout.write(`${JSON.stringify(operations.map(describe), null, 2)}\n`)
    return 0
  },
}

function describe(operation: Operation): Record<string, unknown> {
  const { name, title, description, toolset, scope, role, personal, hints, surfaces } = operation
  return {
    name,
    title,
    description,
    toolset,
    scope,
    role: personal ? null : role,
    hints,
    faces: surfaces,
    input: z.toJSONSchema(inputSchema(operation), { io: 'input' }),
    output: z.toJSONSchema(operation.output, { io: 'output' }),
  }
}

import type { Operation } from './operation.ts'
import { inputJsonSchema, outputJsonSchema } from './json-schema.ts'

/** Where the dashboard calls operations. */
const operationsPath = '/api/dashboard/operations'

/** The operations that have the dashboard as a surface, as an OpenAPI 3.1 document. */
export function dashboardOpenApi(operations: readonly Operation[]): Record<string, unknown> {
  const shown = operations.filter(({ surfaces }) => surfaces.includes('dashboard'))
  return {
    openapi: '3.1.0',
    info: { title: 'Parley dashboard API', version: '1' },
    paths: Object.fromEntries(
      shown.map((operation) => [
        `${operationsPath}/${operation.name}`,
        { post: describe(operation) },
      ]),
    ),
    components: { schemas: { Error: errorSchema } },
  }
}

function describe(operation: Operation) {
  const { name, title, description, toolset } = operation
  return {
    operationId: name,
    summary: title,
    description,
    tags: [toolset],
    requestBody: { required: true, content: json(inputJsonSchema(operation)) },
    responses: {
      '200': { description: title, content: json(outputJsonSchema(operation)) },
      default: {
        description: 'What went wrong, and the next step',
        content: json({ $ref: '#/components/schemas/Error' }),
      },
    },
  }
}

function json(schema: unknown) {
  return { 'application/json': { schema } }
}

const errorSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        issues: { type: 'array', items: { type: 'string' } },
        request_id: { type: 'string' },
      },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
}

import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { recordsNamed } from '#test/support/operation-inputs.ts'
import { operations } from './catalogue.ts'
import { inputJsonSchema, outputJsonSchema } from './json-schema.ts'
import { dashboardOpenApi } from './open-api.ts'
import { inputSchema } from './run-operation.ts'

/**
 * What concerns only the user: their credentials, which can do no more than the user, what they chose
 * to see, and their leaving.
 */
const ofUser = [
  'leave_workspace',
  'create_developer_key',
  'delete_developer_key',
  'hide_first_steps',
  'pin_app',
]

/** They name a record that they do not act on: another workspace, or the subject of a cap. */
const namesNoSubject = ['grant_credits', 'assign_plan', 'set_credit_cap']

const named = operations.map((operation) => [operation.name, operation] as const)

describe('the catalogue', () => {
  test('names every operation once, as a verb and a noun in snake_case', () => {
    const names = operations.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) if (name !== 'whoami') expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/)
  })

  test.each(named)('%s says in one or two short sentences what it does', (_, operation) => {
    expect(operation.title).toMatch(/^[A-Z]/)
    expect(operation.description).toMatch(/^[A-Z].*\.$/s)
    expect(operation.description.split(/[.!?](?=\s|$)/).filter(Boolean).length).toBeLessThan(3)
    expect(operation.description.length).toBeLessThanOrEqual(160)
  })

  test.each(named)('%s sets all four hints, and they do not contradict', (_, { hints }) => {
    const { readOnly, destructive, idempotent, openWorld } = hints
    for (const hint of [readOnly, destructive, idempotent, openWorld])
      expect(hint).toBeTypeOf('boolean')
    expect(readOnly && destructive).toBe(false)
  })

  test.each(named)('%s needs a role and a scope that fit what it does', (_, operation) => {
    const changes = !operation.hints.readOnly
    if (operation.scope !== null)
      expect(operation.scope).toMatch(changes ? /:write$/ : /:(read|write)$/)
    const ofWorkspace = !operation.personal && !ofUser.includes(operation.name)
    if (changes && ofWorkspace) expect(operation.role).not.toBe('viewer')
  })

  test.each(named)('%s rejects unknown fields in its input and output', (_, operation) => {
    expect(inputJsonSchema(operation)).toMatchObject({ additionalProperties: false })
    for (const schema of objectsIn(operation.output)) expect(isStrict(schema)).toBe(true)
  })

  test.each(named)('%s takes workspace_id exactly when it acts in a workspace', (_, operation) => {
    const takes = 'workspace_id' in inputSchema(operation).shape
    expect(takes).toBe(!operation.personal)
  })

  test.each(named)('%s says by which field its input names the record acted on', (_, operation) => {
    const fields = [...recordsNamed(operation).keys()]
    const field = operation.actsOn?.field
    if (namesNoSubject.includes(operation.name)) expect(field).toBeUndefined()
    else if (fields.length > 0) expect(fields).toContain(field)
  })

  test.each(named)('%s is in plain JSON Schema, without patterns that a format says', (_, op) => {
    for (const schema of [inputJsonSchema(op), outputJsonSchema(op)]) {
      expect(schema).toMatchObject({ type: 'object' })
      expect(JSON.stringify(schema).length).toBeLessThan(5000)
    }
  })

  test.each(named.filter(([name]) => name.startsWith('list_')))(
    '%s returns items and next_cursor, and accepts cursor and a limit up to 100',
    (_, operation) => {
      expect(Object.keys(operation.output.shape)).toEqual(
        expect.arrayContaining(['items', 'next_cursor']),
      )
      const input = inputJsonSchema(operation) as { properties: Record<string, unknown> } // An object schema.
      expect(input.properties).toMatchObject({
        limit: { minimum: 1, maximum: 100 },
        cursor: { type: 'string' },
      })
    },
  )

  test('keys, plans and providers are never offered to an assistant', () => {
    const peopleOnly = operations.filter(({ surfaces }) => !surfaces.includes('mcp'))
    expect(peopleOnly.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'create_chat_key',
        'list_chat_keys',
        'revoke_chat_key',
        'set_plan',
        'set_provider',
      ]),
    )
  })

  test('the dashboard’s contract contains each of its operations', () => {
    const { paths } = dashboardOpenApi(operations) as { paths: object } // OpenAPI §4.8.1.
    const forDashboard = operations.filter(({ surfaces }) => surfaces.includes('dashboard'))
    expect(Object.keys(paths)).toEqual(
      forDashboard.map(({ name }) => `/api/dashboard/operations/${name}`),
    )
  })
})

/** The object itself and those that it lists. */
function objectsIn(output: z.ZodObject): z.ZodObject[] {
  const { items } = output.shape
  if (!(items instanceof z.ZodArray) || !(items.element instanceof z.ZodObject)) return [output]
  return [output, items.element]
}

function isStrict(schema: z.ZodObject): boolean {
  return schema.def.catchall instanceof z.ZodNever
}

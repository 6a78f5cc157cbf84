import { expect, test } from 'vitest'
import { operations } from './catalogue.ts'
import { outputJsonSchema } from './json-schema.ts'

/** Fields that are named like a credential, and are none. */
const harmless: Readonly<Record<string, string>> = {
  widget_key: 'publishable: every page with the widget contains it',
}

/** Operations that return a credential and do not ask who it is, and why. */
const unconfirmed: Readonly<Record<string, string>> = {
  create_webhook_endpoint:
    'the secret verifies what Parley sends to the endpoint, and opens nothing',
  create_widget_pass:
    'the pass ends with the credential that it was created with, after eight hours at most',
}

const credential = /(?:^|_)(?:key|secret|pass|password|token|link)$/

/** The names of all string fields in a JSON schema. */
function stringFields(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties } = schema as { properties?: Readonly<Record<string, unknown>> } // Any JSON schema.
  const own = Object.entries(properties ?? {})
    .filter(([, field]) => JSON.stringify(field).includes('"string"'))
    .map(([name]) => name)
  return [...own, ...Object.values(schema).flatMap(stringFields)]
}

const returning = operations.filter((operation) =>
  stringFields(outputJsonSchema(operation)).some(
    (name) => credential.test(name) && !Object.hasOwn(harmless, name),
  ),
)

test('every operation that returns a credential asks again who it is, or says why not', () => {
  expect(returning.length).toBeGreaterThan(7)
  const silent = returning.filter(({ needsConfirmation }) => needsConfirmation === false)
  expect(silent.map(({ name }) => name).toSorted()).toEqual(Object.keys(unconfirmed).toSorted())
})

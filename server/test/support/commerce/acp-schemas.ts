import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

/**
 * The official schemas and examples are stored beside the project, not in it. Without them, the
 * suites that validate against them are skipped. Our own tests cover the same rules.
 */
const folder = join(import.meta.dirname, '../../../../../shared/acp')
const release = join(folder, 'spec/2026-04-17/json-schema')

export const schemasAbsent = existsSync(release)
  ? null
  : 'the official schemas of the Agentic Commerce Protocol are not beside this checkout'

type Bundle = 'agentic_checkout' | 'feed'

/** Fails with every problem if a value violates the protocol's schema. */
export function protocolValidator(definition: string, bundle: Bundle = 'agentic_checkout') {
  const validate = compile(bundle, definition)
  return (body: unknown): void => {
    if (validate(body)) return
    const problems = (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
    throw new Error(
      `not a ${definition}:\n${problems.join('\n')}\n${JSON.stringify(body, null, 2)}`,
    )
  }
}

function compile(bundle: Bundle, definition: string): ValidateFunction {
  // `strict` checks the style of the schemas; the official ones do not meet it.
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  // The package is CommonJS: its default export is a property of the imported module.
  const formats = addFormats as unknown as (instance: Ajv2020) => void
  formats(ajv)
  ajv.addSchema(readJson(join(release, `schema.${bundle}.json`)) as object, 'bundle')
  return ajv.compile({ $ref: `bundle#/$defs/${definition}` })
}

/** The official examples of version 2026-04-17, by name. */
export function protocolExamples(file = 'examples.agentic_checkout.json') {
  // Each example is a JSON object.
  return readJson(join(folder, 'examples/2026-04-17', file)) as Record<
    string,
    Record<string, unknown>
  >
}

/** The examples of the first release, for clients that were built for it. */
export function firstExamples() {
  const file = join(folder, 'examples/2025-09-29/examples.agentic_checkout.json')
  return readJson(file) as Record<string, Record<string, unknown>>
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}

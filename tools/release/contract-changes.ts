import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

export interface ContractChanges {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  /** Operations, and fields of operations that stayed: `get_order: field total`. */
  readonly removed: readonly string[]
}

const openApi = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), z.unknown()).optional() }).optional(),
})
const tools = z.object({ tools: z.array(z.looseObject({ name: z.string() })) })

/**
 * Compares a contract with its former version: an OpenAPI document, or the list of MCP tools. Texts for
 * people do not count as a change.
 */
export function contractChanges(former: unknown, current: unknown): ContractChanges {
  const [before, after] = [itemsOf(former), itemsOf(current)]
  const added: string[] = []
  const changed: string[] = []
  const removed = [...before.keys()].filter((name) => !after.has(name))
  for (const [name, item] of after) {
    const old = before.get(name)
    if (old === undefined) added.push(name)
    else if (!isDeepStrictEqual(old, item)) {
      changed.push(name)
      const fields = new Set(fieldsOf(item))
      const lost = fieldsOf(old).filter((field) => !fields.has(field))
      removed.push(...new Set(lost.map((field) => `${name}: field ${field}`)))
    }
  }
  return { added, changed, removed }
}

/** The operations, tools and shared schemas of a contract, without their texts. */
function itemsOf(contract: unknown): Map<string, unknown> {
  const listed = tools.safeParse(contract)
  if (listed.success)
    return new Map(listed.data.tools.map((tool) => [tool.name, withoutTexts(tool)]))
  const { paths, components } = openApi.parse(contract)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, unknown] => [
      `${method.toUpperCase()} ${path}`,
      withoutTexts(operation),
    ]),
  )
  const schemas = Object.entries(components?.schemas ?? {}).map(
    ([name, schema]): [string, unknown] => [`schema ${name}`, withoutTexts(schema)],
  )
  return new Map([...operations, ...schemas])
}

const texts = new Set(['description', 'summary', 'title', 'examples', 'example'])

function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts)
  if (!isObject(value)) return value
  // A field may be called `title`: its schema is an object, a text is a string.
  const kept = Object.entries(value).filter(([key, inner]) => !(texts.has(key) && !isObject(inner)))
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutTexts(inner)]))
}

/** Paths of all `properties` of the schemas within: `items.title`. */
function fieldsOf(value: unknown, path: readonly string[] = []): string[] {
  if (Array.isArray(value)) return value.flatMap((inner) => fieldsOf(inner, path))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key !== 'properties' || !isObject(inner)) return fieldsOf(inner, path)
    return Object.entries(inner).flatMap(([field, schema]) => {
      const here = [...path, field]
      return [here.join('.'), ...fieldsOf(schema, here)]
    })
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

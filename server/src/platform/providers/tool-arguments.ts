import { isObject, parseJson } from '#kernel/json.ts'

/** The arguments that a model wrote for a tool; null where they are no JSON object. */
export function argumentsOf(written: string): Record<string, unknown> | null {
  const value = parseJson(written)
  return isObject(value) ? value : null
}

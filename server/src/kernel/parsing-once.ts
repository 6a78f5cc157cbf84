import type { z } from 'zod'

const maxParsed = 500

/**
 * A reader of stored JSON that parses each distinct text once. All readers of the same text share
 * one object: never change it.
 */
export function parsingOnce<Value>(schema: z.ZodType<Value>): (json: string) => Value {
  // Keyed by the text itself, so that an entry is never stale; only the number is limited.
  const parsed = new Map<string, Value>()
  return (json) => {
    const known = parsed.get(json)
    if (known !== undefined) return known
    const value = schema.parse(JSON.parse(json))
    const oldest = parsed.size < maxParsed ? undefined : parsed.keys().next().value
    if (oldest !== undefined) parsed.delete(oldest)
    parsed.set(json, value)
    return value
  }
}

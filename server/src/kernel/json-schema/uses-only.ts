import { isObject } from '#kernel/json.ts'
import { isAnnotation, isSchemaList, isSchemaMap } from './unchecked-keyword.ts'

/** Keywords in a schema; to look at as many takes a few milliseconds. */
const most = 20_000

/** They are only reliable when nothing stands beside them that describes the value, too. */
const alone: ReadonlySet<string> = new Set(['$ref', 'anyOf'])
const definitions: ReadonlySet<string> = new Set(['$defs', '$id', 'definitions'])

/**
 * Whether a schema has no other keywords than these and annotations, so that a provider that knows these
 * holds its models to all of it.
 */
export function usesOnly(schema: unknown, keywords: readonly string[]): boolean {
  const known = new Set(keywords)
  const waiting = [schema]
  for (let left = most; waiting.length > 0; left -= 1) {
    const next = waiting.pop()
    if (left === 0) return false
    if (typeof next === 'boolean') continue
    if (!isObject(next)) return false
    const names = Object.keys(next).filter((name) => !isAnnotation(name))
    const describing = names.filter((name) => !definitions.has(name))
    if (describing.length > 1 && describing.some((name) => alone.has(name))) return false
    for (const name of names) {
      if (!known.has(name)) return false
      const value = next[name]
      if (isSchemaMap(name) && isObject(value)) waiting.push(...Object.values(value))
      else if (isSchemaList(name) && Array.isArray(value)) waiting.push(...value)
      else if (name === 'items' || name === 'additionalProperties') waiting.push(value)
    }
  }
  return true
}

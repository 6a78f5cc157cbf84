import { isObject } from '#kernel/json.ts'

/**
 * What `#`, `#/$defs/name` or `#anchor` names in a schema; undefined if nothing has the name, and for a
 * reference to another document.
 *
 * @param spend counts the work
 */
export function findInSchema(
  root: unknown,
  reference: string,
  spend: (steps: number) => void,
): unknown {
  if (!reference.startsWith('#')) return undefined
  const fragment = decoded(reference.slice(1))
  if (fragment === null) return undefined
  if (fragment === '') return root
  return fragment.startsWith('/')
    ? findByPointer(root, fragment)
    : findByAnchor(root, fragment, spend)
}

function decoded(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

function findByPointer(root: unknown, pointer: string): unknown {
  let found = root
  for (const part of pointer.slice(1).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Readonly<Record<string, unknown>>)[name] // A list has names as well: its indexes.
  }
  return found
}

function findByAnchor(root: unknown, name: string, spend: (steps: number) => void): unknown {
  const open = [root]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one !== 'object' || one === null) continue
    if (isObject(one) && (one.$anchor === name || one.$dynamicAnchor === name)) return one
    const parts = Object.values(one)
    spend(parts.length / 8)
    for (const part of parts) open.push(part)
  }
  return undefined
}

import { isUuid } from '#kernel/ids.ts'

/** The ids of the Responses API: a prefix for the kind, and a UUID without hyphens. */
const prefixes = { response: 'resp', message: 'msg', conversation: 'conv' } as const

type Kind = keyof typeof prefixes

export function wireId(kind: Kind, id: string): string {
  return `${prefixes[kind]}_${id.replaceAll('-', '')}`
}

/** The UUID of an id, or null if no record of this kind can have the id. */
export function readWireId(kind: Kind, given: string): string | null {
  const prefix = `${prefixes[kind]}_`
  if (!given.startsWith(prefix)) return null
  const hex = given.slice(prefix.length)
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5').toLowerCase()
  return isUuid(id) ? id : null
}

import { normalized } from '#kernel/normalized.ts'

/** A tool name that every provider accepts, from any text. */
export function toolName(text: string): string {
  const name = normalized(text, 'NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 64)
    .replace(/[_-]+$/, '')
  return name === '' ? 'action' : name
}

/** The first of `name`, `name_2`, `name_3`… that is not taken. */
export function freeToolName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let n = 2; taken.has(free); n += 1) free = `${name.slice(0, 60)}_${n}`
  return free
}

import { CpuSlice } from './cpu-slice.ts'
import { isObject } from './json.ts'

/** Longer strings are visited in pieces. A surrogate pair is never divided. */
const pieceLength = 64 * 1024
const visitsAtOnce = 64

/** A list that is being visited, and the item that comes next. */
interface OpenList {
  readonly items: readonly unknown[]
  next: number
}

/**
 * Visits every part of a JSON value, in slices of time and without recursion: a list or an object, then
 * its values and keys.
 */
export async function visitInSlices(value: unknown, visit: (part: unknown) => void): Promise<void> {
  const open: OpenList[] = [{ items: [value], next: 0 }]
  const slice = new CpuSlice()
  let visits = 0
  for (let list = open.at(-1); list !== undefined; list = open.at(-1)) {
    if (list.next === list.items.length) {
      open.pop()
      continue
    }
    visits += 1
    if (visits % visitsAtOnce === 0 && slice.isOver) await slice.next()
    const part = list.items[list.next++]
    if (typeof part === 'string' && part.length > pieceLength) open.push(piecesOf(part))
    else visit(part)
    if (Array.isArray(part)) open.push({ items: part, next: 0 })
    // The reader of JSON limits the keys of an object.
    else if (isObject(part)) open.push({ items: Object.entries(part).flat(), next: 0 })
  }
}

function piecesOf(text: string): OpenList {
  const end = isHighSurrogate(text.charCodeAt(pieceLength - 1)) ? pieceLength + 1 : pieceLength
  return { items: [text.slice(0, end), text.slice(end)], next: 0 }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}

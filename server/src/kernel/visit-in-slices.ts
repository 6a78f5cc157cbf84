import { CpuSlice } from './cpu-slice.ts'

/** Longer strings are visited in pieces. A surrogate pair is never divided. */
const pieceLength = 64 * 1024
const visitsAtOnce = 64

/**
 * Visits every part of a JSON value, in slices of time and without recursion: a list or an object, then
 * its values and keys.
 */
export async function visitInSlices(value: unknown, visit: (part: unknown) => void): Promise<void> {
  const open = [value]
  const slice = new CpuSlice()
  for (let visits = 1; open.length > 0; visits += 1) {
    if (visits % visitsAtOnce === 0 && slice.isOver) await slice.next()
    const part = open.pop()
    if (typeof part === 'string' && part.length > pieceLength) {
      const end = isHighSurrogate(part.charCodeAt(pieceLength - 1)) ? pieceLength + 1 : pieceLength
      open.push(part.slice(end), part.slice(0, end))
      continue
    }
    visit(part)
    if (typeof part !== 'object' || part === null) continue
    if (Array.isArray(part)) for (const one of part) open.push(one)
    else for (const [key, one] of Object.entries(part)) open.push(one, key)
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}

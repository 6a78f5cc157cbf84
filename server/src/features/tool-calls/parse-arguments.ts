import { isObject, parseJson } from '#kernel/json.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** Characters of one call's arguments: more is no request but a document. */
const maxArgumentsLength = 100_000

export type ReadArguments =
  | { readonly ok: true; readonly values: Arguments }
  /** `values` is what could be read, for the record. */
  | { readonly ok: false; readonly problem: string; readonly values: Arguments }

/** The JSON object that a model wrote; nothing at all counts as an empty one. */
export function parseArguments(written: string): ReadArguments {
  if (written.length > maxArgumentsLength)
    return bad(`The arguments have more than ${maxArgumentsLength} characters.`)
  const value = written.trim() === '' ? {} : parseJson(written)
  if (!isObject(value)) return bad('The arguments are not a JSON object.')
  return isStorable(value) ? { ok: true, values: value } : bad(notText)
}

const notText = 'The arguments hold characters that are no text.'

/**
 * PostgreSQL stores neither U+0000 nor half a surrogate pair, also as an escape in JSON.
 * `JSON.stringify` writes just these two as such escapes.
 */
function isStorable(value: Arguments): boolean {
  return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(JSON.stringify(value))
}

function bad(problem: string): ReadArguments {
  return { ok: false, problem, values: {} }
}

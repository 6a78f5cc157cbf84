import { isObject, parseJson } from '#kernel/json.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** The maximum length of one call's arguments, in UTF-16 code units. */
const maxArgumentsLength = 100_000

/** The most values and keys of one call: each is checked, masked and stored. */
const maxArgumentValues = 5_000

export type ReadArguments =
  | { readonly ok: true; readonly values: Arguments }
  /** `values` are those that could be read, for the record. */
  | { readonly ok: false; readonly problem: string; readonly values: Arguments }

/** The JSON object that a model wrote. An empty text counts as an empty object. */
export function parseArguments(written: string): ReadArguments {
  if (written.length > maxArgumentsLength)
    return bad(`The arguments are more than ${maxArgumentsLength} characters long.`)
  const value = written.trim() === '' ? {} : parseJson(written, maxArgumentValues)
  if (!isObject(value)) return bad('The arguments are not a JSON object.')
  return isStorable(value) ? { ok: true, values: value } : bad(notText)
}

const notText = 'The arguments contain characters that are not text.'

/**
 * PostgreSQL stores neither U+0000 nor half a surrogate pair, not even as an escape in JSON.
 * `JSON.stringify` writes only these two as such escapes.
 */
function isStorable(value: Arguments): boolean {
  return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(JSON.stringify(value))
}

function bad(problem: string): ReadArguments {
  return { ok: false, problem, values: {} }
}

import type { WantedFile } from '#features/turns/index.ts'
import { isObject } from '#kernel/json.ts'
import { invalid } from './chat-request-faults.ts'

/**
 * OpenAI's `file` of a chat completion, or its `input_file` of a response: one of `file_data` and `file_url`.
 *
 * @throws Fault request_invalid
 */
export function readFilePart(value: unknown, at: string): WantedFile {
  const fields = isObject(value) ? value : {}
  const data = readText(fields, 'file_data', at)
  const url = readText(fields, 'file_url', at)
  const name = readText(fields, 'filename', at)?.slice(0, longestName) ?? null
  if (data !== null && url === null)
    return { type: 'wanted_file', name, at: `${at}.file_data`, from: readData(data) }
  if (url === null || data !== null)
    throw invalid(`\`${at}\` must have one of file_data and file_url`)
  if (!/^https?:\/\//i.test(url)) throw invalid(`\`${at}.file_url\` must be an http: or https: URL`)
  return { type: 'wanted_file', name, at: `${at}.file_url`, from: { url } }
}

/** UTF-16 code units. */
const longestName = 200

/** Clients send null and '' for what they leave out. */
function readText(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  at: string,
): string | null {
  const value = fields[name]
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string') throw invalid(`\`${at}.${name}\` must be a string`)
  return value
}

/** A data URL as OpenAI documents it, or base64 alone, of which the name shows the format. */
function readData(data: string) {
  const [, mediaType] = /^data:([^,]{0,200});base64,/i.exec(data) ?? []
  if (mediaType === undefined) return { data, mediaType: null }
  return { data: data.slice(data.indexOf(',') + 1), mediaType }
}

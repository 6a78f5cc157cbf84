import { placeInRequest, type MessagePart, type WantedFile } from '#features/turns/index.ts'
import { isObject } from '#kernel/json.ts'
import { invalid } from '#surfaces/chat/chat-request-faults.ts'
import { readBase64, readImageUrl } from '#surfaces/chat/read-values.ts'
import { readIdOrNone } from '#surfaces/chat/responses/wire-ids.ts'

/**
 * OpenAI's `file` of a chat completion, or its `input_file` of a response: one of `file_data`, `file_url` and
 * `file_id`.
 *
 * @throws Fault request_invalid
 */
export function readFilePart(value: unknown, at: string): WantedFile {
  const fields = isObject(value) ? value : {}
  const data = readText(fields, 'file_data', at)
  const url = readText(fields, 'file_url', at)
  const id = readText(fields, 'file_id', at)
  const name = readText(fields, 'filename', at)?.slice(0, longestName) ?? null
  if ([data, url, id].filter((given) => given !== null).length !== 1)
    throw invalid(`\`${at}\` must have one of file_data, file_url and file_id`)
  const wanted = { type: 'wanted_file', name } as const
  if (data !== null)
    return { ...wanted, at: `${at}.file_data`, from: readData(data, `${at}.file_data`) }
  if (url === null) return { ...wanted, ...uploaded(id ?? '', `${at}.file_id`) }
  if (!/^https?:\/\//i.test(url)) throw invalid(`\`${at}.file_url\` must be an http: or https: URL`)
  return { ...wanted, at: `${at}.file_url`, from: { url } }
}

/**
 * OpenAI's `input_image` of a response: one of `image_url` and `file_id`.
 *
 * @throws Fault request_invalid
 */
export function readImagePart(fields: Readonly<Record<string, unknown>>, at: string): MessagePart {
  const id = readText(fields, 'file_id', at)
  if (id === null) {
    const url = readImageUrl(fields.image_url, `${at}.image_url`)
    return { type: 'image', url, [placeInRequest]: `${at}.image_url` }
  }
  if (readText(fields, 'image_url', at) !== null)
    throw invalid(`\`${at}\` must have one of image_url and file_id`)
  const wanted = { type: 'wanted_file', name: null, isImage: true } as const
  return { ...wanted, ...uploaded(id, `${at}.file_id`) }
}

/** An id that no file can have is treated like an id of another agent's. */
function uploaded(id: string, at: string) {
  return { at, from: { fileId: readIdOrNone('file', id) } }
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
function readData(data: string, at: string) {
  const [, mediaType] = /^data:([^,]{0,200});base64,/i.exec(data) ?? []
  if (mediaType === undefined) return { data: readBase64(data, at), mediaType: null }
  return { data: readBase64(data.slice(data.indexOf(',') + 1), at), mediaType }
}

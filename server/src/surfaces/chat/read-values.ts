import type { MessagePart, MessageRole } from '#features/turns/index.ts'
import { invalid } from './chat-request-faults.ts'

export function readImageUrl(url: unknown, at: string): string {
  const text = readString(url, at)
  if (!/^(?:https:\/\/|data:image\/)/i.test(text))
    throw invalid(`\`${at}\` must be an https: or data:image/ URL`)
  return text
}

export function readString(value: unknown, at: string): string {
  if (typeof value !== 'string') throw invalid(`\`${at}\` must be a string`)
  return value
}

export function readBase64(text: string, at: string): string {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw invalid(`\`${at}\` must be base64`)
  return text
}

/** No model reads images or audio of others. Files are refused where they are read. */
export function requireUser(role: MessageRole, parts: readonly MessagePart[], at: string): void {
  if (role === 'user') return
  const index = parts.findIndex(({ type }) => type === 'audio' || type === 'image')
  if (index === -1) return
  throw invalid(`\`${at}.content[${index}]\` must be in a message of the role user`)
}

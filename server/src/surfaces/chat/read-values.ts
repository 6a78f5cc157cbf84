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

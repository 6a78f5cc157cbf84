import type { PostedMessages } from './read-messages.ts'
import { listToolsText, type ToolView } from './tools.ts'

/** As the protocol writes an empty list. No string of a JSON text can look like it: quotes are escaped. */
const emptyList = '"tools":[]'

/** True for an answer that is a list of tools and nothing else. */
export function asksForList({ body, requests }: PostedMessages): boolean {
  return !Array.isArray(body) && requests[0]?.method === 'tools/list'
}

/** Puts the tools where the protocol wrote an empty list; an error has no place for them. */
export function spliceList(answer: string, view: ToolView): string {
  const at = answer.indexOf(emptyList)
  if (at === -1) return answer
  const after = at + emptyList.length
  return `${answer.slice(0, at)}"tools":${listToolsText(view)}${answer.slice(after)}`
}

import type { PostedMessages } from './read-messages.ts'
import { listToolsText, type ToolView } from './tools.ts'

/**
 * An empty list as the SDK serialises it. No JSON string can contain it, because quotes are
 * escaped.
 */
const emptyList = '"tools":[]'

/** True for an answer that is a list of tools and nothing else. */
export function asksForList({ body, requests }: PostedMessages): boolean {
  return !Array.isArray(body) && requests[0]?.method === 'tools/list'
}

/** Inserts the tools in place of the empty list; an error has none. */
export function spliceList(answer: string, view: ToolView): string {
  const at = answer.indexOf(emptyList)
  if (at === -1) return answer
  const after = at + emptyList.length
  return `${answer.slice(0, at)}"tools":${listToolsText(view)}${answer.slice(after)}`
}

import type { CallToolResult } from '@modelcontextprotocol/server'
import { listToolsText, type ToolView } from './tools.ts'

/**
 * The results with which the SDK answers in place of long ones, as it serialises them. No JSON string
 * contains them: quotes are escaped.
 */
const emptyList = '"tools":[]'
const emptyContent = '"content":[]'

/** Inserts the tools in place of the empty list; an error has none. */
export function fillList(answer: string, view: ToolView): string {
  return replaceOnce(answer, emptyList, () => `"tools":${listToolsText(view)}`)
}

/** True for an answer that `fillResult` completes. */
export function hasEmptyResult(answer: string): boolean {
  return answer.includes(emptyContent)
}

/** Inserts the fields of a tool's result in place of the empty content. */
export function fillResult(answer: string, result: CallToolResult): string {
  return replaceOnce(answer, emptyContent, () => JSON.stringify(result).slice(1, -1))
}

function replaceOnce(answer: string, empty: string, full: () => string): string {
  const at = answer.indexOf(empty)
  if (at === -1) return answer
  return `${answer.slice(0, at)}${full()}${answer.slice(at + empty.length)}`
}

import type { CallToolResult } from '@modelcontextprotocol/server'
import { listToolsBytes, type ToolView } from './tools.ts'

/**
 * The results with which the SDK answers in place of long ones, as it serialises them. No JSON string
 * contains them: quotes are escaped.
 */
const emptyList = '"tools":[]'
const emptyContent = '"content":[]'

/** Inserts the tools in place of the empty list; an error has none. */
export function fillList(answer: string, view: ToolView): string | Uint8Array<ArrayBuffer> {
  const at = answer.indexOf(emptyList)
  if (at === -1) return answer
  const before = Buffer.from(`${answer.slice(0, at)}"tools":`)
  const after = Buffer.from(answer.slice(at + emptyList.length))
  return Buffer.concat([before, listToolsBytes(view), after])
}

/** True for an answer that `fillResult` completes. */
export function hasEmptyResult(answer: string): boolean {
  return answer.includes(emptyContent)
}

/** Inserts the fields of a tool's result in place of the empty content. */
export function fillResult(answer: string, result: CallToolResult): string {
  const at = answer.indexOf(emptyContent)
  if (at === -1) return answer
  const fields = JSON.stringify(result).slice(1, -1)
  return `${answer.slice(0, at)}${fields}${answer.slice(at + emptyContent.length)}`
}

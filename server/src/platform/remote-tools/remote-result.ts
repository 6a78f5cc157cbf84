import type { CallToolResult } from '@modelcontextprotocol/client'
import type { RemoteResult } from './remote-tools.ts'

/** What a tool gave, as data: its structured content, else its text; other content is named only. */
export function resultOf({ content, structuredContent, isError }: CallToolResult): RemoteResult {
  return { isError: isError === true, data: structuredContent ?? textOf(content) }
}

function textOf(content: CallToolResult['content']): string | null {
  const texts = content.map((block) => {
    if (block.type === 'text') return block.text
    if (block.type === 'resource')
      return 'text' in block.resource ? block.resource.text : `(resource ${block.resource.uri})`
    return block.type === 'resource_link' ? `(resource ${block.uri})` : `(${block.type})`
  })
  return texts.length === 0 ? null : texts.join('\n')
}

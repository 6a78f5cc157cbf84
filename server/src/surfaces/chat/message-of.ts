import type { MessagePart, MessageRole, TranscriptMessage } from '#features/turns/index.ts'
import { isObject } from '#kernel/json.ts'
import { joinRefusal } from '#kernel/refusal.ts'

/** A message with content parts. Only text is kept as text. */
export function messageOf(role: MessageRole, parts: readonly MessagePart[]): TranscriptMessage {
  const content = textOf(parts)
  return parts.some((part) => part.type !== 'text') ? { role, content, parts } : { role, content }
}

/** @param content the parts as the caller sent them; those of a refusal come after the others */
export function assistantMessage(
  content: readonly unknown[],
  parts: readonly MessagePart[],
): TranscriptMessage {
  const refuses = (n: number) => isObject(content[n]) && content[n].type === 'refusal'
  const refusal = parts.filter((_, n) => refuses(n))
  if (refusal.length === 0) return messageOf('assistant', parts)
  const said = parts.filter((_, n) => !refuses(n))
  return { role: 'assistant', ...joinRefusal(textOf(said), textOf(refusal)) }
}

function textOf(parts: readonly MessagePart[]): string {
  const [first, second] = parts
  if (first?.type === 'text' && second === undefined) return first.text
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

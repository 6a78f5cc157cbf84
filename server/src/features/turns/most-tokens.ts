import type { ModelMessage } from '#platform/models/model.ts'

/** Upper bound for the tokens that a provider adds around one message. */
const tokensOfFraming = 16
/** Upper bound for the tokens of a large image in full detail. */
const tokensOfImage = 4_000

/** An upper bound: no tokenizer produces more tokens than a text has bytes. */
export function maxTokens(messages: readonly ModelMessage[]): number {
  let tokens = tokensOfFraming
  for (const message of messages) {
    tokens += tokensOfFraming
    const { content } = message
    for (const part of typeof content === 'string' ? [{ text: content }] : content)
      tokens += 'text' in part ? byteLength(part.text) : tokensOfImage
    if (message.role === 'assistant') tokens += byteLength(JSON.stringify(message.toolCalls))
  }
  return tokens
}

export function byteLength(text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(text)
}

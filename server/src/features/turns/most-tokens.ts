import type { ContentPart, ModelMessage } from '#platform/models/model.ts'

/** Upper bound for the tokens that a provider adds around one message. */
const tokensOfFraming = 16
/** Upper bound for the tokens of a large image in full detail. */
const tokensOfImage = 4_000
/**
 * The fewest bytes of base64 for a token of audio: Google counts the most, 32 in a second. The lowest rates
 * in use are 8 kbit/s for MP3, and 8,000 bytes in a second for PCM.
 */
const audioBytesPerToken = { mp3: 40, wav: 330 } as const

/** An upper bound: no tokenizer produces more tokens than a text has bytes. */
export function maxTokens(messages: readonly ModelMessage[]): number {
  let tokens = tokensOfFraming
  for (const message of messages) {
    tokens += tokensOfFraming
    const { content } = message
    for (const part of typeof content === 'string' ? [textPart(content)] : content)
      tokens += tokensOf(part)
    if (message.role === 'assistant') tokens += byteLength(JSON.stringify(message.toolCalls))
  }
  return tokens
}

function textPart(text: string): ContentPart {
  return { type: 'text', text }
}

function tokensOf(part: ContentPart): number {
  switch (part.type) {
    case 'text':
      return byteLength(part.text)
    case 'image':
      return tokensOfImage
    case 'audio':
      return Math.ceil(part.data.length / audioBytesPerToken[part.format])
  }
}

export function byteLength(text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(text)
}

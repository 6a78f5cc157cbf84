import { dataFrame } from '#surfaces/http/event-stream.ts'
import type { TurnResult } from '#features/turns/index.ts'
import { toChatFault } from './fault-table.ts'
import type { FrameWriter } from './stream-answer.ts'
import { usageShape, type Completion } from './whole-answer.ts'
import { StreamedCalls } from './write-calls.ts'

/**
 * Writes OpenAI's chunks. What all its chunks share is serialised once, so that a
 * chunk of text costs one small JSON.stringify.
 */
export function completionFrames(
  { id, created, model, chatSessionId }: Completion,
  usage: boolean,
): FrameWriter {
  const object = 'chat.completion.chunk'
  const head = JSON.stringify({ id, object, created, model, chatSessionId }).slice(0, -1)
  // With include_usage, every chunk except the last has `usage: null` (OpenAI, stream_options).
  const start = `${head},"choices":[{"index":0,"delta":`
  const tail = usage ? ',"usage":null}' : '}'
  const [beforeText, afterText] = dataFrame(
    `${start}{"content":\0},"finish_reason":null}]${tail}`,
  ).split('\0')
  let streamed: StreamedCalls | null = null
  const chunk = (delta: string) => dataFrame(`${start}${delta},"finish_reason":null}]${tail}`)
  const used = (result: TurnResult) =>
    `${head},"choices":[],"usage":${JSON.stringify(usageShape(result))}}`
  return {
    begin: (isText) => chunk(`{"role":"assistant","content":${isText ? '""' : 'null'}}`),
    texts(texts) {
      let frames = ''
      for (const text of texts) frames += beforeText + JSON.stringify(text) + afterText
      return frames
    },
    refusal: (texts) => chunk(`{"refusal":${JSON.stringify(texts.join(''))}}`),
    calls: (pieces) => (streamed ??= new StreamedCalls()).deltas(pieces).map(chunk).join(''),
    reasoning: (texts) => chunk(`{"reasoning_content":${JSON.stringify(texts.join(''))}}`),
    end(result) {
      const { finishReason, citations, toolCalls } = result
      const cited = citations.length === 0 ? '' : `,"citations":${JSON.stringify(citations)}`
      const finish = `${start}{},"finish_reason":${JSON.stringify(finishReason)}}]${cited}${tail}`
      if (toolCalls.length > 0) streamed ??= new StreamedCalls()
      const calls = streamed?.rest(toolCalls).map(chunk).join('') ?? ''
      const last = [finish, ...(usage ? [used(result)] : []), '[DONE]']
      return calls + last.map(dataFrame).join('')
    },
    failed: (error) =>
      dataFrame(JSON.stringify({ error: { message: toChatFault(error).message } })),
  }
}

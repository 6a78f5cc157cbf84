import { sse, type Said, type Usage, type WrittenCall } from './written-answer.ts'

const googleReasons: Readonly<Record<string, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
  tool_calls: 'STOP',
}

/** An answer in the format of Google. */
export function google(
  pieces: readonly string[],
  finishReason: string,
  usage: Usage,
  calls: readonly WrittenCall[],
  reasoning: string,
): Said {
  const counted = usage && {
    promptTokenCount: usage.prompt,
    // Google counts what the model thought beside the rest of the answer.
    candidatesTokenCount: usage.completion - (usage.reasoning ?? 0),
    ...(usage.reasoning !== undefined && { thoughtsTokenCount: usage.reasoning }),
    totalTokenCount: usage.prompt + usage.completion,
    ...(usage.cached !== undefined && { cachedContentTokenCount: usage.cached }),
  }
  // Google signs a call and requires the signature with its result.
  const asked = calls.map(({ name, written }) => ({
    functionCall: { name, args: JSON.parse(written) },
    thoughtSignature: `signed-${name}`,
  }))
  const thought = reasoning === '' ? [] : [{ text: reasoning, thought: true }]
  const answer = (
    text: string,
    reason?: string,
    more: readonly object[] = [],
    before: readonly object[] = [],
  ) => ({
    candidates: [
      {
        content: { role: 'model', parts: [...before, ...(text === '' ? [] : [{ text }]), ...more] },
        index: 0,
        ...(reason === undefined ? {} : { finishReason: reason }),
      },
    ],
    ...(counted && { usageMetadata: counted }),
  })
  return {
    whole: answer(pieces.join(''), googleReasons[finishReason], asked, thought),
    events: [
      ...thought.map((part) => sse(answer('', undefined, [], [part]))),
      ...pieces.map((text) => sse(answer(text))),
    ],
    end: sse(answer('', googleReasons[finishReason], asked)),
  }
}

import { countTokens, countUsage } from '#platform/models/count-tokens.ts'
import { extractAnswer, type Extract } from './extract-answer.ts'
import { isGreeting } from './function-words.ts'
import type {
  ModelAdapter,
  ModelAnswer,
  ModelMessage,
  ModelRequest,
  Passage,
} from '#platform/models/model.ts'
import { wordGroups, wordsOf } from './sentences.ts'

/**
 * The model that needs no network and no key: it quotes the agent's knowledge. It writes nothing of
 * its own but the sentences below, so system messages mean nothing to it.
 */

const introduction =
  'Hello! I answer by quoting this agent’s knowledge word for word; no language model is connected. Ask me about something it covers.'

const foundNothing =
  'I found nothing about that in my knowledge. I can only quote what it says; no language model is connected.'

const askedNothing = 'Please ask a question in words: I can only search my knowledge for text.'

/** Words in one batch of a stream. */
const wordsPerBatch = 4

export const extractive: ModelAdapter = {
  complete,
  async stream(request, listener) {
    const { text, ...finish } = await complete(request)
    for (const group of wordGroups(text, wordsPerBatch)) {
      request.signal.throwIfAborted()
      await listener([group])
    }
    return finish
  },
}

async function complete(request: ModelRequest): Promise<ModelAnswer> {
  request.signal.throwIfAborted()
  const { text: whole, citedPassages } = compose(request)
  const text = endBefore(whole, request.sampling?.stop)
  const fitting = await fit(text, request.maxOutputTokens)
  return {
    text: fitting,
    finishReason: fitting === text ? 'stop' : 'length',
    usage: await countUsage(request.messages, fitting),
    citedPassages,
    foundNothing: whole === foundNothing,
  }
}

/** The text before the first of the stops. */
function endBefore(text: string, stops: readonly string[] = []): string {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((at) => at !== -1)
  return text.slice(0, Math.min(text.length, ...ends))
}

function compose({ messages, passages }: ModelRequest): {
  text: string
  citedPassages: readonly number[]
} {
  const question = lastUserText(messages)
  const words = wordsOf(question)
  if (words.length === 0) return { text: askedNothing, citedPassages: [] }
  if (isGreeting(words)) return { text: introduction, citedPassages: [] }
  const extracts = extractAnswer(question, passages)
  if (extracts.length === 0) return { text: foundNothing, citedPassages: [] }
  return {
    text: quote(extracts, passages),
    citedPassages: extracts.map(({ passage }) => passage),
  }
}

/** Each source's quotes under its title, one paragraph per passage. */
function quote(extracts: readonly Extract[], passages: readonly Passage[]): string {
  const titleOf = ({ passage }: Extract) => passages[passage]?.title ?? ''
  return [...Map.groupBy(extracts, titleOf)]
    .map(([title, quotes]) => {
      const text = quotes.map(({ sentences }) => join(sentences)).join('\n\n')
      return title === '' ? text : `From “${title}”:\n${text}`
    })
    .join('\n\n')
}

/** Lines of a list stay on their own lines; languages that write no spaces get none. */
function join(sentences: readonly string[]): string {
  let text = ''
  for (const sentence of sentences) {
    const space = /[。！？」』]$/.test(text) ? '' : ' '
    const ownLine = /^([-*+•|#>]|\d{1,3}[.)]|```)/.test(sentence)
    text += text === '' ? sentence : `${ownLine ? '\n' : space}${sentence}`
  }
  return text
}

/** Characters of a question that are read. */
const maxQuestionLength = 4000

function lastUserText(messages: readonly ModelMessage[]): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? ''
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return parts
    .map((part) => ('text' in part ? part.text : ''))
    .join('\n')
    .slice(0, maxQuestionLength)
}

/** As many words of `text` as fit into `maxTokens`. */
async function fit(text: string, maxTokens: number | null): Promise<string> {
  if (maxTokens === null || (await countTokens(text)) <= maxTokens) return text
  let fitting = ''
  for (const group of wordGroups(text, 1)) {
    if ((await countTokens(fitting + group)) > maxTokens) break
    fitting += group
  }
  return fitting.trimEnd()
}

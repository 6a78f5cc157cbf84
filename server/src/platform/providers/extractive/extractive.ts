import { countTokens, countUsage } from '#platform/models/count-tokens.ts'
import { extractAnswer, type Extract } from './extract-answer.ts'
import { languageOf } from './question-language.ts'
import { replies, type Replies } from './replies.ts'
import { wordGroups, wordsOf } from './sentences.ts'
import { smallTalkOf } from './small-talk.ts'
import type { Statement } from './statements.ts'
import type {
  ModelAdapter,
  ModelAnswer,
  ModelMessage,
  ModelRequest,
  Passage,
} from '#platform/models/model.ts'

/**
 * The model that needs no network and no key: it quotes the agent's knowledge. It writes nothing of
 * its own but the sentences in replies.ts, so system messages mean nothing to it.
 */

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
  const { text: whole, citedPassages, foundNothing } = await compose(request)
  const text = endBefore(whole, request.sampling?.stop)
  const fitting = await fit(text, request.maxOutputTokens)
  return {
    text: fitting,
    finishReason: fitting === text ? 'stop' : 'length',
    usage: await countUsage(request.messages, fitting),
    citedPassages,
    foundNothing,
  }
}

/** The text before the first of the stops. */
function endBefore(text: string, stops: readonly string[] = []): string {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((at) => at !== -1)
  return text.slice(0, Math.min(text.length, ...ends))
}

interface Composed {
  readonly text: string
  readonly citedPassages: readonly number[]
  readonly foundNothing: boolean
}

async function compose(request: ModelRequest): Promise<Composed> {
  const { messages, passages, weighWords, relatedWords } = request
  const question = lastUserText(messages)
  const words = wordsOf(question)
  const smallTalk = smallTalkOf(words)
  if (smallTalk !== null) return reply(replies[smallTalk.language][smallTalk.kind])
  const own = replies[languageOf(question)]
  if (words.length === 0) return reply(own.askedNothing)
  const extracts = await extractAnswer({
    question,
    passages,
    weights: weighWords?.() ?? { words: new Map(), passageCount: passages.length },
    related: relatedWords ?? new Map(),
  })
  if (extracts.length === 0) return { ...reply(own.foundNothing), foundNothing: true }
  const citedPassages = extracts.map(({ passage }) => passage)
  return { text: quote(extracts, passages, own), citedPassages, foundNothing: false }
}

function reply(text: string): Composed {
  return { text, citedPassages: [], foundNothing: false }
}

/**
 * The quotes of each part of a page under its name, the best part first. `[1]` after the name cites the
 * first of the cited passages, as the answers of other models do. It is not within the quotes, which may
 * end with a table or with code.
 */
function quote(
  extracts: readonly Extract[],
  passages: readonly Passage[],
  { from }: Replies,
): string {
  const nameOf = ({ passage }: Extract) => nameOfPart(passages[passage])
  return [...Map.groupBy(extracts, nameOf)]
    .map(([name, quotes]) => {
      const text = quotes.map(({ statements }) => join(statements)).join('\n\n')
      const marks = quotes.map((one) => `[${extracts.indexOf(one) + 1}]`).join('')
      return name === '' ? text : `${withMarks(from(name), marks)}\n\n${text}`
    })
    .join('\n\n')
}

/** `From “Returns” [1]:` */
function withMarks(lead: string, marks: string): string {
  return lead.replace(/\s*[:：]$/, (colon) => ` ${marks}${colon}`)
}

/** `Returns › What cannot be returned`: the quoted text alone may not say what it is about. */
function nameOfPart(passage: Passage | undefined): string {
  if (passage === undefined) return ''
  const { title, heading } = passage
  if (heading === '' || heading === title) return title
  return title === '' || heading.startsWith(`${title} › `) ? heading : `${title} › ${heading}`
}

/** Rows stay in their table and items in their list. Languages that write no spaces get none. */
function join(statements: readonly Statement[]): string {
  let text = ''
  let last: Statement | null = null
  for (const statement of statements) {
    const { head } = statement
    const isUnderHead = head !== '' && head === last?.head
    text += isUnderHead ? '\n' : last === null ? '' : separatorOf(last, statement)
    text += isUnderHead || head === '' ? statement.text : withHead(statement)
    last = statement
  }
  return text
}

function withHead({ head, text }: Statement): string {
  return text.startsWith('|') ? `${head}\n${text}` : `${head}\n\n${text}`
}

const ownLine = /^(?:[-*+•|#>]|\d{1,3}[.)]|```|~~~)/

/** Without one, a text is a line of its own, such as an opening time. */
const sentenceEnd = /[.!?…:。！？：」』][\p{Pf}\p{Pe}"'*_`]*$/u

function separatorOf(last: Statement, next: Statement): string {
  if (ownLine.test(next.text) && ownLine.test(last.text) && next.block === last.block) return '\n'
  if (ownLine.test(next.text) || next.block !== last.block || last.text.includes('\n'))
    return '\n\n'
  if (!sentenceEnd.test(last.text)) return '\n\n'
  return /[。！？」』]$/.test(last.text) ? '' : ' '
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

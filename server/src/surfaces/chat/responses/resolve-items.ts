import {
  findItem,
  findSessionItems,
  openCompaction,
  type Continued,
  type ItemName,
  type Place,
} from '#features/responses/index.ts'
import { readFilesAlone, type TranscriptMessage } from '#features/turns/index.ts'
import type { Context } from '#platform/context.ts'
import { invalid } from '#surfaces/chat/chat-request-faults.ts'
import type { InputItem } from './read-items.ts'

/**
 * The messages of an input that no turn answers now, with the text of their files.
 *
 * @param store whether the messages are stored
 * @throws as resolveItems and readFilesAlone
 */
export async function resolveWithFiles(
  ctx: Context,
  reader: Parameters<typeof readFilesAlone>[1],
  input: Input,
  signal: AbortSignal,
): Promise<readonly TranscriptMessage[]> {
  const { id: agentId, workspaceId } = reader.agent
  const messages = await resolveItems(ctx, { workspaceId, agentId }, input)
  return await readFilesAlone(ctx, reader, messages, signal)
}

/** Items, and what the request that has them continues. */
export type Input = Continued & { readonly items: readonly InputItem[] }

type ResolveContext = Pick<Context, 'db' | 'vault' | 'config'>

/**
 * The messages of an input, with those that it names by their ids. In an input, the calls of an answer are
 * items of their own, but they belong to one message.
 *
 * @throws Fault request_invalid: neither an answer of this agent nor the session that the request continues
 *   has the id; the items that it names are larger together than a request can be; a compaction of another
 *   agent
 */
export async function resolveItems(
  ctx: ResolveContext,
  place: Place,
  { items, ...continued }: Input,
): Promise<readonly TranscriptMessage[]> {
  const messages: TranscriptMessage[] = []
  const references = items.filter((item) => 'reference' in item)
  const ofSession = await readSession(ctx, place, continued, references)
  const named = new NamedItems(ctx, place, ofSession)
  for (const item of items) {
    const message = 'reference' in item ? await named.find(item) : resolve(ctx, place, item)
    const last = messages.at(-1)
    const joined = last === undefined ? null : joinCalls(last, message)
    if (joined === null) messages.push(message)
    else messages[messages.length - 1] = joined
  }
  return messages
}

/** A message with further calls, or null if `next` is a message of its own. */
function joinCalls(last: TranscriptMessage, next: TranscriptMessage): TranscriptMessage | null {
  const isCall = next.toolCalls !== undefined && next.content === ''
  if (!isCall || last.role !== 'assistant') return null
  return { ...last, toolCalls: [...(last.toolCalls ?? []), ...(next.toolCalls ?? [])] }
}

type Reference = Extract<InputItem, { readonly reference: unknown }>

function resolve(
  ctx: ResolveContext,
  place: Place,
  item: Exclude<InputItem, Reference>,
): TranscriptMessage {
  if (!('compaction' in item)) return item
  const summary = openCompaction(ctx, place, item.compaction)
  if (summary === null) throw invalid(`\`${item.at}\` must be of a compaction of this agent`)
  return summary
}

type OfSession = (item: ItemName) => TranscriptMessage | null

/** What an input names of the session that it continues, if that is not larger than a request can be. */
async function readSession(
  ctx: ResolveContext,
  place: Place,
  continued: Continued,
  references: readonly Reference[],
): Promise<OfSession> {
  const names = references.map(({ reference }) => reference)
  const items = await findSessionItems(ctx, place, continued, names)
  const counted = new Set<string>()
  let bytes = 0
  for (const { reference, at } of references) {
    if (counted.has(reference.messageId)) continue
    counted.add(reference.messageId)
    bytes += items.sizeOf(reference) ?? 0
    requireSmall(ctx, bytes, at)
  }
  return await items.read()
}

/** A short request must not load and store any number of long messages. */
function requireSmall({ config }: ResolveContext, bytes: number, at: string): void {
  const most = config.maxBodyBytes
  if (bytes > most)
    throw invalid(`\`${at}\` makes the items that the input names larger than ${most} bytes`)
}

/** The items that an input names by their ids. Together they are as large as a request can be. */
class NamedItems {
  readonly #ctx: ResolveContext
  readonly #place: Place
  readonly #ofSession: OfSession
  readonly #found = new Map<string, TranscriptMessage>()
  #bytes = 0

  constructor(ctx: ResolveContext, place: Place, ofSession: OfSession) {
    this.#ctx = ctx
    this.#place = place
    this.#ofSession = ofSession
  }

  async find({ reference, at }: Reference): Promise<TranscriptMessage> {
    const name = `${reference.messageId} ${reference.call}`
    const found =
      this.#found.get(name) ??
      this.#ofSession(reference) ??
      (await findItem(this.#ctx, this.#place, reference))
    if (found === null)
      throw invalid(
        `\`${at}\` must be the id of an answer, or of an item of the session that the request continues`,
      )
    this.#found.set(name, found)
    this.#bytes += sizeOf(found)
    requireSmall(this.#ctx, this.#bytes, at)
    return found
  }
}

function sizeOf({ content, parts, toolCalls = [] }: TranscriptMessage): number {
  const more = parts === undefined ? 0 : Buffer.byteLength(JSON.stringify(parts))
  return toolCalls.reduce(
    (sum, call) => sum + Buffer.byteLength(call.arguments),
    Buffer.byteLength(content) + more,
  )
}

import type { CallToolResult } from '@modelcontextprotocol/server'
import { findOperation } from '#operations/catalogue.ts'
import type { Operation } from '#operations/operation.ts'
import { isObject } from '#kernel/json.ts'
import type { Answer } from './answer.ts'
import { fillList, fillResult, hasEmptyResult } from './fill-answer.ts'
import { KnownAnswers } from './known-answers.ts'
import type { PostedMessages, RpcRequest } from './read-messages.ts'
import { isOffered, type Caller } from './tools.ts'

/** Runs a tool that the caller may call. */
export type RunTool = (
  caller: Caller,
  operation: Operation,
  input: unknown,
) => Promise<CallToolResult>

/** Has the SDK answer a request, for this caller. */
export type Respond = (caller: Caller) => Promise<Response>

/**
 * Answers lists and calls of tools without a server and transport of the SDK for each. The SDK
 * decides what every form of request gets, once and with an empty result, which is then filled in.
 */
export class ShortAnswers {
  readonly #known = new KnownAnswers()
  readonly #runTool: RunTool

  constructor(runTool: RunTool) {
    this.#runTool = runTool
  }

  /** @returns null for a request that the SDK must answer itself; nothing has been done then */
  async answer(
    request: Request,
    { body, requests }: PostedMessages,
    caller: Caller,
    respond: Respond,
  ): Promise<Answer | null> {
    const [rpc] = requests
    if (rpc === undefined || !isObject(body)) return null
    const emptily = () => respond({ ...caller, getsEmptyResult: true })
    if (rpc.method === 'tools/list') {
      const { head, text } = await this.#known.answer(request, body, rpc.id, emptily)
      return { head, body: fillList(text, caller.view) }
    }
    const operation = rpc.method === 'tools/call' ? quickTool(rpc, caller) : null
    if (operation === null) return null
    const { arguments: input, ...params } = rpc.params
    const message = { ...body, params: { ...params, arguments: input === undefined ? null : {} } }
    const { head, text } = await this.#known.answer(request, message, rpc.id, emptily)
    if (!hasEmptyResult(text)) return null
    return { head, body: fillResult(text, await this.#runTool(caller, operation, input)) }
  }
}

/** The tool of a call that needs no heartbeats and does not end when its client disconnects. */
function quickTool({ params }: RpcRequest, { view }: Caller): Operation | null {
  const { name, arguments: input } = params
  const operation = typeof name === 'string' ? findOperation(name) : undefined
  if (operation === undefined || operation.hints.openWorld) return null
  return isOffered(view, operation) && (input === undefined || isObject(input)) ? operation : null
}

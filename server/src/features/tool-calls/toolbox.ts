import { newId } from '#kernel/ids.ts'
import type { Mask } from '#kernel/mask.ts'
import { inSpan } from '#kernel/spans.ts'
import type { ModelMessage, ModelTool, ToolCall, ToolMessage } from '#platform/models/model.ts'
import { CallFailure, type CallFailureCode } from './call-failure.ts'
import { failedOutcome, toolContent, type CallOutcome } from './call-outcome.ts'
import {
  endOfCall,
  isTooLongToKeep,
  maxNameLength,
  rowOfCall,
  type MadeCall,
} from './call-record.ts'
import { finishCall, insertCalls } from './call-store.ts'
import { confirmationQuestion, isTooLongToShow, type Asked } from './confirmation.ts'
import type { OfferedTool } from './offered-tool.ts'
import { parseArguments, type Arguments } from './parse-arguments.ts'
import { bookCall, costs, holdForCall } from './pay-for-call.ts'
import type { ToolboxContext, ToolTurn } from './tool-turn.ts'

/** Calls made per answer; the model receives an error for any others. */
const maxCallsAtOnce = 16

/** One of those that are too many is recorded, so that the record shows that there were others. */
const maxRecordedCalls = maxCallsAtOnce + 1

/** The tools that a model may call in one turn. All its calls go through here. */
export class Toolbox {
  readonly #ctx: ToolboxContext
  readonly #turn: ToolTurn
  readonly #offered: ReadonlyMap<string, OfferedTool>
  readonly #mask: Mask
  /** Aborts when the turn's time for calls is used up. */
  readonly #budget: AbortSignal
  readonly #asked: Asked[] = []
  /** Closes what the offered tools have opened. */
  readonly close: () => void

  constructor(
    ctx: ToolboxContext,
    turn: ToolTurn,
    of: { offered: readonly OfferedTool[]; mask: Mask; budget: AbortSignal; close: () => void },
  ) {
    this.#ctx = ctx
    this.#turn = turn
    this.#offered = new Map(of.offered.map((one) => [one.tool.name, one]))
    this.#mask = of.mask
    this.#budget = of.budget
    this.close = of.close
  }

  get tools(): readonly ModelTool[] {
    return [...this.#offered.values()].map(({ tool }) => tool)
  }

  /** True while there is time for calls. */
  get hasTime(): boolean {
    return !this.#budget.aborted
  }

  /** The question that must end the answer, for the user to confirm calls; null without such calls. */
  get question(): string | null {
    return this.#asked.length === 0 ? null : confirmationQuestion(this.#asked)
  }

  /** Whether a call can need a confirmation. */
  get mayAsk(): boolean {
    return [...this.#offered.values()].some(({ requiresConfirmation }) => requiresConfirmation)
  }

  offered(name: string): OfferedTool | undefined {
    return this.#offered.get(name)
  }

  /**
   * Makes the calls of one answer concurrently, each recorded before it is made.
   *
   * @returns the messages that the model reads, in the order of the calls
   * @throws the signal's reason when it aborts; calls that were running are then in doubt
   */
  async run(calls: readonly ToolCall[], signal: AbortSignal): Promise<readonly ToolMessage[]> {
    const now = this.#ctx.clock.now()
    const made = calls.map((call, index) => this.#prepare(call, index))
    if (this.#turn.sessionId !== null) await this.#record(made, now)
    return await this.makeCalls(made, signal)
  }

  async #record(made: readonly MadeCall[], now: number): Promise<void> {
    const recorded = made.slice(0, maxRecordedCalls)
    const rows = await Promise.all(
      recorded.map((one) => rowOfCall(this.#turn, one, this.#mask, now)),
    )
    await this.#ctx.db.write((tx) => insertCalls(tx, rows))
  }

  /** Makes calls that are recorded as running. */
  async makeCalls(made: readonly MadeCall[], signal: AbortSignal): Promise<readonly ToolMessage[]> {
    const settled = await Promise.allSettled(
      made.map((one) => {
        const { name } = one.call
        const about = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name }
        return inSpan(`execute_tool ${name}`, about, () => this.#make(one, signal))
      }),
    )
    return settled.map((one, index) => {
      if (one.status === 'rejected') throw one.reason
      const call = made[index]?.call
      // There is one result for each call, in their order.
      if (call === undefined) throw new RangeError('a result without a call')
      return toolMessage(call, one.value)
    })
  }

  #prepare(call: ToolCall, index: number): MadeCall {
    const id = newId(this.#ctx.clock.now())
    const offered = this.#offered.get(call.name) ?? null
    const read = parseArguments(call.arguments)
    const args = read.values
    const refuse = (code: CallFailureCode, why: string): MadeCall => {
      const failure = new CallFailure(code, why)
      return { id, call, offered, args, step: { kind: 'refused', failure } }
    }
    if (index >= maxCallsAtOnce)
      return refuse('too_many_calls', `At most ${maxCallsAtOnce} calls can be made at once.`)
    if (offered === null) return refuse('unknown_action', `There is no tool ${shortName(call)}.`)
    if (!this.hasTime) return refuse('budget_used', noTime)
    const problem = read.ok ? offered.problemOf(args) : read.problem
    if (problem !== null) return refuse('bad_arguments', problem)
    if (!offered.requiresConfirmation)
      return { id, call, offered, args, step: { kind: 'run', offered } }
    const asked = { title: offered.title, arguments: args }
    if (!this.#isConfirmable(asked) || isTooLongToKeep(call))
      return refuse('not_confirmable', notConfirmable)
    this.#asked.push(asked)
    return { id, call, offered, args, step: { kind: 'ask' } }
  }

  /** A call to be confirmed is stored and shown, so it must be short and contain no secret. */
  #isConfirmable(asked: Asked): boolean {
    if (this.#turn.sessionId === null || isTooLongToShow(asked)) return false
    return JSON.stringify(this.#mask.value(asked.arguments)) === JSON.stringify(asked.arguments)
  }

  async #make(made: MadeCall, signal: AbortSignal): Promise<string> {
    const { step, args, id } = made
    if (step.kind === 'ask') return awaitingContent
    if (step.kind === 'refused') return toolContent(failedOutcome(step.failure))
    const { clock, db } = this.#ctx
    const startedAt = clock.now()
    const { outcome, costMicros } = await this.#payAndRun(step.offered, args, signal)
    const now = clock.now()
    const isPaid = costs(costMicros, outcome)
    const isRecorded = this.#turn.sessionId !== null
    if (isRecorded || isPaid)
      await db.write(async (tx) => {
        if (isRecorded) await finishCall(tx, id, endOfCall(outcome, now - startedAt, now))
        const name = step.offered.tool.name
        if (isPaid) await bookCall(tx, now, this.#turn, { id, name, costMicros })
      })
    if (isPaid) this.#turn.credits.forgetBooked(costMicros)
    signal.throwIfAborted()
    return toolContent(outcome)
  }

  /** Makes no call without credits for it. */
  async #payAndRun(
    offered: OfferedTool,
    args: Arguments,
    signal: AbortSignal,
  ): Promise<{ readonly outcome: CallOutcome; readonly costMicros: number }> {
    try {
      const costMicros = await holdForCall(this.#ctx, this.#turn, offered)
      return { outcome: await this.#outcomeOf(offered, args, signal), costMicros }
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error
      return { outcome: failedOutcome(error), costMicros: 0 }
    }
  }

  /** Never throws: every failure is an outcome to be recorded. */
  async #outcomeOf(
    offered: OfferedTool,
    args: Arguments,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    try {
      return await offered.run(args, AbortSignal.any([signal, this.#budget]))
    } catch (error) {
      if (signal.aborted) return failedOutcome(new CallFailure('aborted', 'The turn was aborted.'))
      if (this.#budget.aborted) return failedOutcome(new CallFailure('budget_used', noTime))
      this.#ctx.log.error({ err: error, tool: offered.tool.name }, 'a call failed on our side')
      return failedOutcome(new CallFailure('internal', 'The call failed on our side.'))
    }
  }
}

/** A model chooses the name, and it is stored. */
function shortName({ name }: ToolCall): string {
  return name.slice(0, maxNameLength)
}

export function toolMessage({ id, name }: ToolCall, content: string): ToolMessage {
  return { role: 'tool', toolCallId: id, toolName: name, content }
}

/** Calls and their results, as a model reads them. */
export function asMessages(
  calls: readonly ToolCall[],
  results: readonly ToolMessage[],
): ModelMessage[] {
  return [{ role: 'assistant', content: '', toolCalls: calls }, ...results]
}

const awaitingContent = JSON.stringify({
  ok: false,
  status: 'awaiting_confirmation',
  note: 'Not done. Below your answer the user is asked to confirm it; their next message decides. Say briefly what it would do, and do not say that it was done.',
})

const noTime = 'The time for calls in this turn is used up.'
const notConfirmable = 'This needs a confirmation by the user, which is not possible here.'

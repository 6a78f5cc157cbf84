import type { Toolbox } from '#features/tool-calls/index.ts'
import type {
  ModelAdapter,
  ModelAnswer,
  ModelEvent,
  ModelFinish,
  ModelMessage,
  ModelRequest,
  Models,
  ModelUsage,
} from '#platform/models/model.ts'

export type LoopModels = Pick<Models, 'complete' | 'stream' | 'countUsage'>

/**
 * Wraps a model with tools so that it looks like one that simply answers. The model is asked again
 * with the results of its calls, at most `maxSteps` times, then once more without further calls.
 * What it says between calls is part of the answer; the calls themselves are hidden. Usage is the
 * sum of all rounds.
 */
export function modelWithTools(
  models: LoopModels,
  toolbox: Toolbox,
  maxSteps: number,
): ModelAdapter {
  return {
    async complete(request) {
      const rounds = new Rounds(models, toolbox, maxSteps, request)
      for (;;) {
        const answer = await models.complete(rounds.request())
        rounds.hear(answer.text)
        if (!(await rounds.goOn(answer))) return rounds.answer(answer)
      }
    },
    async *stream(request) {
      const rounds = new Rounds(models, toolbox, maxSteps, request)
      for (;;) {
        let finish: ModelFinish | null = null
        for await (const batch of models.stream(rounds.request())) {
          const events: ModelEvent[] = []
          for (const event of batch) {
            if (event.type === 'finish') finish = event
            else events.push({ type: 'text', text: rounds.hear(event.text) })
          }
          if (events.length > 0) yield events
        }
        if (finish === null) throw new Error('the model adapter ended its stream without a finish')
        if (await rounds.goOn(finish)) continue
        yield rounds.ending(finish)
        return
      }
    },
  }
}

/** The answer when the steps are used up and the model has said nothing. */
const cutShort = 'I could not finish this: the steps that one answer may take are used up.'

class Rounds {
  readonly #models: LoopModels
  readonly #toolbox: Toolbox
  readonly #base: ModelRequest
  readonly #messages: ModelMessage[]
  readonly #usage = { promptTokens: 0, completionTokens: 0 }
  #stepsLeft: number
  /** Text of all rounds, and of the current one. */
  #said = ''
  #saidNow = ''

  constructor(models: LoopModels, toolbox: Toolbox, maxSteps: number, request: ModelRequest) {
    this.#models = models
    this.#toolbox = toolbox
    this.#base = request
    this.#messages = [...request.messages]
    this.#stepsLeft = maxSteps
  }

  request(): ModelRequest {
    const toolChoice = this.#mayCall() ? 'auto' : 'none'
    const messages = [...this.#messages]
    return { ...this.#base, messages, tools: this.#toolbox.tools, toolChoice }
  }

  /** Adds a piece of text. @returns it as the answer has it: each round begins a paragraph */
  hear(text: string): string {
    if (text === '') return text
    const begins = this.#saidNow === '' && this.#said !== '' && !/\s$/.test(this.#said)
    const shown = begins ? `\n\n${text}` : text
    this.#saidNow += text
    this.#said += shown
    return shown
  }

  /** Makes the calls that the model asks for. @returns false when this was the last round */
  async goOn(finish: ModelFinish): Promise<boolean> {
    const calls = finish.toolCalls ?? []
    this.#count(finish.usage ?? (await this.#countRound(calls)))
    if (calls.length === 0 || !this.#mayCall()) return false
    this.#stepsLeft -= 1
    const results = await this.#toolbox.run(calls, this.#base.signal)
    this.#messages.push({ role: 'assistant', content: this.#saidNow, toolCalls: calls }, ...results)
    this.#saidNow = ''
    return true
  }

  /** The closing events: a question or notice, if there is one, and the finish. */
  ending(finish: ModelFinish): ModelEvent[] {
    const text = this.#hearClosing(finish)
    const end: ModelEvent = { type: 'finish', ...this.#finishOfAll(finish) }
    return text === '' ? [end] : [{ type: 'text', text }, end]
  }

  /** The whole answer. */
  answer(finish: ModelFinish): ModelAnswer {
    this.#hearClosing(finish)
    return { text: this.#said, ...this.#finishOfAll(finish) }
  }

  /** A question for the user to confirm, or the notice that the steps were used up. */
  #hearClosing(finish: ModelFinish): string {
    this.#saidNow = ''
    const wasCut = this.#said === '' && (finish.toolCalls ?? []).length > 0
    return this.hear(this.#toolbox.question ?? (wasCut ? cutShort : ''))
  }

  #finishOfAll({ finishReason, citedPassages }: ModelFinish): ModelFinish {
    const reason = finishReason === 'tool_calls' ? 'stop' : finishReason
    return { finishReason: reason, usage: this.#usage, citedPassages }
  }

  #mayCall(): boolean {
    return this.#stepsLeft > 0 && this.#toolbox.hasTime
  }

  #count({ promptTokens, completionTokens }: ModelUsage): void {
    this.#usage.promptTokens += promptTokens
    this.#usage.completionTokens += completionTokens
  }

  async #countRound(calls: NonNullable<ModelFinish['toolCalls']>): Promise<ModelUsage> {
    const written = calls.map(({ name, arguments: text }) => name + text).join('')
    return await this.#models.countUsage(this.#messages, this.#saidNow + written)
  }
}

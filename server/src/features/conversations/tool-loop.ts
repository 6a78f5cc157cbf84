import type { Toolbox } from '#features/actions/index.ts'
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
 * A model that may call tools, as one that simply answers: it is asked again with what its calls
 * gave, at most `maxSteps` times, and then without any more. What it says between is part of the
 * answer; the calls are seen by nobody. Usage is that of all rounds together.
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

/** What is said when the model wanted to go on and must not, and has said nothing. */
const cutShort = 'I could not finish this: the steps that one answer may take are used up.'

class Rounds {
  readonly #models: LoopModels
  readonly #toolbox: Toolbox
  readonly #base: ModelRequest
  readonly #messages: ModelMessage[]
  readonly #usage = { promptTokens: 0, completionTokens: 0 }
  #stepsLeft: number
  /** Of all rounds, and of this one. */
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

  /** Takes in a piece of text. @returns it as the answer has it: rounds are paragraphs */
  hear(text: string): string {
    if (text === '') return text
    const begins = this.#saidNow === '' && this.#said !== '' && !/\s$/.test(this.#said)
    const shown = begins ? `\n\n${text}` : text
    this.#saidNow += text
    this.#said += shown
    return shown
  }

  /** Makes the calls that the model asks for. @returns false when its answer is the last */
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

  /** What follows the last word of the model, and the finish. */
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

  /** What the user is to confirm; what there is to say when the model was cut and said nothing. */
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

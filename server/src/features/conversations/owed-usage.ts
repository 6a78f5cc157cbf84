import type { ModelMessage, ModelUsage } from '#platform/models/model.ts'
import type { LoopModels } from './tool-loop.ts'

const nothing: ModelUsage = { promptTokens: 0, completionTokens: 0 }

/** What a turn that does not come to its end owes for the calls of its model. */
export class OwedUsage {
  #ofRounds = nothing
  /** How much of the answer those rounds said. */
  #saidInRounds = 0
  #underWay: readonly ModelMessage[] | null = null

  /** The models, noting what each call gives them to read. */
  noting(models: LoopModels): LoopModels {
    return {
      countUsage: (messages, answer) => models.countUsage(messages, answer),
      complete: (request) => {
        this.#underWay = request.messages
        return models.complete(request)
      },
      stream: (request) => {
        this.#underWay = request.messages
        return models.stream(request)
      },
    }
  }

  /** A call has ended that asks for tools: it is owed, however the turn ends. */
  endRound({ promptTokens, completionTokens }: ModelUsage, saidSoFar: string): void {
    const { promptTokens: read, completionTokens: written } = this.#ofRounds
    this.#ofRounds = {
      promptTokens: read + promptTokens,
      completionTokens: written + completionTokens,
    }
    this.#saidInRounds = saidSoFar.length
    this.#underWay = null
  }

  /**
   * The rounds that ended, and what the call under way was given to read and has said. A model that
   * fails before its first word owes the answer: it is paid nothing. Who hangs up before that word
   * owes what the model was given to read, for it read it.
   */
  async usage(
    models: Pick<LoopModels, 'countUsage'>,
    said: string,
    { hungUp }: { readonly hungUp: boolean },
  ): Promise<ModelUsage> {
    const now = said.slice(this.#saidInRounds)
    if (this.#underWay === null || (now === '' && !hungUp)) return this.#ofRounds
    const { promptTokens, completionTokens } = await models.countUsage(this.#underWay, now)
    return {
      promptTokens: this.#ofRounds.promptTokens + promptTokens,
      completionTokens: this.#ofRounds.completionTokens + completionTokens,
    }
  }
}

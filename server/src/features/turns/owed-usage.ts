import type { ModelMessage, ModelUsage } from '#platform/models/model.ts'
import type { LoopModels } from './tool-loop.ts'

const nothing: ModelUsage = { promptTokens: 0, completionTokens: 0 }

/**
 * The token usage to bill for a turn that fails or is aborted: its model calls were made all the
 * same.
 */
export class OwedUsage {
  #ofRounds = nothing
  /** Length of the text those rounds produced, in characters. */
  #saidInRounds = 0
  #underWay: readonly ModelMessage[] | null = null

  /** Wraps the models to remember the messages of the call under way. */
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

  /** A call ended and asked for tools: its usage is owed, however the turn ends. */
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
   * Usage of the finished rounds, and of the call under way: its prompt and what it has said so
   * far. A call that failed before its first word is not billed. One that the caller aborted before
   * that word is billed for its prompt, because the model has read it.
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

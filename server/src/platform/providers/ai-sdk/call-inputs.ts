import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { CallListener, CallPiece } from '#platform/models/model.ts'

/** Passes on calls as the model writes them. */
export class CallInputs {
  readonly #hear: CallListener | undefined
  #current: Pick<CallPiece, 'n' | 'id' | 'name'> | null = null

  constructor(hear: CallListener | undefined) {
    this.#hear = hear
  }

  /**
   * @param count the number of calls that are complete. Models write one call after another; one that
   *   began beside another would take its place, and is not passed on before it is complete.
   */
  async take(part: LanguageModelV4StreamPart, count: number): Promise<void> {
    if (part.type === 'tool-input-start' && this.#current === null) {
      this.#current = { n: count, id: part.id, name: part.toolName }
      await this.#hear?.([{ ...this.#current, arguments: '' }])
    } else if (part.type === 'tool-input-delta' && part.id === this.#current?.id) {
      if (part.delta !== '') await this.#hear?.([{ ...this.#current, arguments: part.delta }])
    } else if (part.type === 'tool-call') this.#current = null
  }
}

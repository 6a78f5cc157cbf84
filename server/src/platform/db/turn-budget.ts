/** How much of a turn of the event loop units may use before they wait for the next one. */
const budgetMs = 5

/**
 * How long the writer has used the current turn of the event loop. The units of a caller that waits
 * only for them follow each other in microtasks: without a bound, hundreds of them would run in one
 * turn.
 */
export class TurnBudget {
  /** When the first unit of this turn that waited for no other began; null before it. */
  #beganAt: number | null = null
  readonly #reset = () => {
    this.#beganAt = null
  }

  /**
   * Called before a unit that would not wait for the next turn. It is part of every commit of a lone
   * caller: one reading of the clock, and one callback per turn.
   *
   * @returns when the units of this turn began, or null if they have used it up
   */
  begin(): number | null {
    const now = performance.now()
    if (this.#beganAt === null) {
      this.#beganAt = now
      setImmediate(this.#reset)
    }
    return now - this.#beganAt < budgetMs ? this.#beganAt : null
  }
}

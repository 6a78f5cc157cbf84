export type Usage = {
  readonly prompt: number
  readonly completion: number
  /** Of the prompt, in the provider's cache. */
  readonly cached?: number
  /** Of the completion, what the model thought. */
  readonly reasoning?: number
} | null

export interface WrittenCall {
  readonly id: string
  readonly name: string
  readonly written: string
  readonly extra?: object
}

/** Splits a text into up to three pieces, as streams send arguments. */
export function inPieces(text: string): string[] {
  const length = Math.max(1, Math.ceil(text.length / 3))
  return text.match(new RegExp(`.{1,${length}}`, 'gs')) ?? ['']
}

export interface Said {
  readonly whole: unknown
  readonly events: readonly string[]
  readonly end: string
}

export const sse = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`

const composing = 229

/**
 * Whether a key accepts what an input method suggests, or chooses among it. Safari says so of an Enter by
 * its code alone.
 */
export function isComposing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === composing
}

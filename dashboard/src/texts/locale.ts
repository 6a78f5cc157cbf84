/** The reader's own language and region: dates and numbers follow it, texts are English for now. */
export function locale(): string {
  return navigator.language || 'en'
}

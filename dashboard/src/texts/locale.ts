/** The reader's language and region, for dates and numbers. The texts are in English. */
export function locale(): string {
  return navigator.language || 'en'
}

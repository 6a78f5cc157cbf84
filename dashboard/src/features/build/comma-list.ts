/** The items of a comma-separated list. */
export function commaList(text: string): readonly string[] {
  return text
    .split(/[,\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

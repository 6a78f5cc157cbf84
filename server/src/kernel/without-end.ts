/**
 * The text without any of this character at its end. A regular expression such as `/\/+$/` takes time
 * that grows with the square of a long run elsewhere in the text.
 */
export function withoutEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text.charAt(end - 1) === character) end -= 1
  return text.slice(0, end)
}

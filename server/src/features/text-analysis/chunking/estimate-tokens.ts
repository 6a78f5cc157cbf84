/**
 * Estimates the model tokens of a text: a token is four Latin letters, about one and a half letters of
 * most other alphabets, or one ideograph. It limits the size of chunks. A real tokenizer takes a hundred
 * times as long, and each model has its own.
 */
export function estimateTokens(text: string): number {
  let quarters = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    quarters += unit < 0x0250 ? 1 : unit < 0x2e80 ? 2.5 : 4
  }
  return Math.ceil(quarters / 4)
}

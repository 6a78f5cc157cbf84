/**
 * About how many model tokens a text takes: four Latin letters to a token, one and a half letters
 * of most other alphabets, one ideograph. An estimate for bounding chunks, never for billing: a real
 * tokenizer costs a hundred times as much and each model has its own.
 */
export function estimateTokens(text: string): number {
  let quarters = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    quarters += unit < 0x0250 ? 1 : unit < 0x2e80 ? 2.5 : 4
  }
  return Math.ceil(quarters / 4)
}

/**
 * Combining marks after the thirtieth in a row: no language writes as many (UAX #15 §13, Stream-Safe
 * Text Format). The two half-width letters become marks in forms NFKC and NFKD.
 */
const excessMarks = /([\p{M}\uFF9E\uFF9F]{30})[\p{M}\uFF9E\uFF9F]+/gu

/**
 * A text in a Unicode normalization form, without excess marks. The time that `String.normalize` takes
 * grows with the square of the longest run of marks: half a second for 20,000.
 */
export function normalized(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  return text.replace(excessMarks, '$1').normalize(form)
}

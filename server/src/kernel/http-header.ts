/** RFC 9110 §5.1: a token. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name)
}

/** RFC 9110 §5.5, without the bytes beyond ASCII, whose meaning is undefined. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(value)
}

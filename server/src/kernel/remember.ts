/**
 * A function of a text that keeps its last results: `most` of them, the oldest is dropped first. For
 * results that are the same at any time.
 */
export function remember<Value extends object>(
  most: number,
  compute: (text: string) => Value,
): (text: string) => Value {
  const known = new Map<string, Value>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const value = compute(text)
    const [oldest] = known.size < most ? [] : known.keys()
    if (oldest !== undefined) known.delete(oldest)
    known.set(text, value)
    return value
  }
}

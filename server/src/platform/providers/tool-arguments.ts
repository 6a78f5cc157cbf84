/** The arguments that a model wrote for a tool; null where they are no JSON object. */
export function argumentsOf(written: string): Record<string, unknown> | null {
  let value: unknown
  try {
    value = JSON.parse(written)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  // An object read from JSON has string keys and unknown values.
  return isObject ? (value as Record<string, unknown>) : null
}

/** Recognises an error by its name: features import only types from platform, and no classes. */
export function isNamed<Kind extends Error>(error: unknown, name: Kind['name']): error is Kind {
  return error instanceof Error && error.name === name
}

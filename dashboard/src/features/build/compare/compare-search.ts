/** The state in the URL of a comparison: `draft`, `published`, `v3`, or the id of a model. */
export interface CompareSearch {
  readonly left?: string | undefined
  readonly right?: string | undefined
}

export function compareSearch({ left, right }: Record<string, unknown>): CompareSearch {
  return { ...(isNamed(left) ? { left } : {}), ...(isNamed(right) ? { right } : {}) }
}

function isNamed(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 200
}

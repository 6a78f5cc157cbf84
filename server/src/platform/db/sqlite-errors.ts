/** SQLite's result codes (https://sqlite.org/rescode.html); the low byte is the primary code. */
const busy = 5
const locked = 6
const uniqueViolations: ReadonlySet<number> = new Set([2067, 1555, 2579])

export function isBusy(error: unknown): boolean {
  const code = resultCode(error)
  return code !== null && ((code & 0xff) === busy || (code & 0xff) === locked)
}

export function isUniqueViolation(error: unknown): boolean {
  const code = resultCode(error)
  return code !== null && uniqueViolations.has(code)
}

function resultCode(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : null
}

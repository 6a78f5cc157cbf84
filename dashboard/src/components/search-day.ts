/** A day in a URL, such as 2026-01-31. Undefined for anything else, such as 2026-02-31. */
export function searchDay(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined
  const day = new Date(`${value}T00:00:00Z`)
  // Browsers differ on February 31: some reject it, some read it as a day in March.
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== value) return undefined
  return value
}

/** A day that an address names, such as 2026-01-31; undefined for what is none, such as 2026-02-31. */
export function searchDay(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined
  const day = new Date(`${value}T00:00:00Z`)
  // Engines differ on the 31st of February: some refuse it, some take it for a day of March.
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== value) return undefined
  return value
}

import { formatDateTime, formatMoment, formatRelative } from '#texts/format.ts'

/** A moment as the reader's clock has it; on hover in full, with the zone, and how far away it is. */
export function Time({
  value,
  relative = false,
}: {
  /** RFC 3339. */
  readonly value: string
  readonly relative?: boolean
}) {
  const away = formatRelative(value)
  return (
    <time dateTime={value} title={`${formatMoment(value)} (${away})`}>
      {relative ? away : formatDateTime(value)}
    </time>
  )
}

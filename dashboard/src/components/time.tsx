import { formatDateTime, formatMoment, formatRelative } from '#texts/format.ts'

/** A time in the reader's zone. On hover: the full time, its zone and how long ago it was. */
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

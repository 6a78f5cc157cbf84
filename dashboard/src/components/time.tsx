import { formatDateTime, formatRelative } from '#texts/format.ts'

/** A moment as the reader's clock has it, the other way of saying it on hover. */
export function Time({
  value,
  relative = false,
}: {
  /** RFC 3339. */
  readonly value: string
  readonly relative?: boolean
}) {
  const [shown, told] = relative
    ? [formatRelative(value), formatDateTime(value)]
    : [formatDateTime(value), formatRelative(value)]
  return (
    <time dateTime={value} title={told}>
      {shown}
    </time>
  )
}

import { useEffect, useState } from 'react'
import { formatDateTime, formatRelative } from '#texts/format.ts'
import { t } from '#texts/t.ts'

/** How often the age is shown again. */
const stepMs = 15_000
/** Figures that are older could not be fetched again. */
const oldMs = 3 * 60_000

interface FiguresAgeProps {
  /** When they were fetched. Epoch milliseconds. */
  readonly at: number
  /** RFC 3339. */
  readonly countedUntil: string
}

/** How old the figures on the page are. They contain what had happened when they were fetched. */
export function FiguresAge({ at, countedUntil }: FiguresAgeProps) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), stepMs)
    return () => clearInterval(timer)
  }, [])
  const isOld = now - at > oldMs
  const when = formatRelative(new Date(at).toISOString(), Math.max(now, at))
  // The service counts what its job has not counted for each answer: nothing is missing.
  const isCounting = at - Date.parse(countedUntil) > oldMs
  return (
    <span className={isOld ? 'text-warn' : ''}>
      {t(isOld ? 'analytics.age.old' : 'analytics.age.current', { when })}
      {isCounting && ` ${t('analytics.age.counting', { when: formatDateTime(countedUntil) })}`}
    </span>
  )
}

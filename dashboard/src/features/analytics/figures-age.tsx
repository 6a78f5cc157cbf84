import { useEffect, useState } from 'react'
import { formatRelative } from '#texts/format.ts'
import { t } from '#texts/t.ts'

/** How often the age is shown again. */
const stepMs = 15_000
/** Figures that are older could not be fetched again. */
const oldMs = 3 * 60_000

/**
 * How old the figures on the page are. They contain what had happened when they were fetched: what the
 * job has not counted yet, after `counted_until`, is counted for the answer.
 */
export function FiguresAge({ at }: { readonly at: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), stepMs)
    return () => clearInterval(timer)
  }, [])
  const isOld = now - at > oldMs
  const when = formatRelative(new Date(at).toISOString(), Math.max(now, at))
  return (
    <span className={isOld ? 'text-warn' : ''}>
      {t(isOld ? 'analytics.age.old' : 'analytics.age.current', { when })}
    </span>
  )
}

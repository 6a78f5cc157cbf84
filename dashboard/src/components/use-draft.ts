import { useCallback, useState } from 'react'

const prefix = 'parley-draft '
const ownerPlace = 'parley-drafts-of'

/** Forgets every draft of this tab: another person may sign in. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(prefix)) sessionStorage.removeItem(key)
}

/** Starts the drafts of this person, and forgets those another one left in the tab. */
export function keepDraftsOf(userId: string): void {
  const before = sessionStorage.getItem(ownerPlace)
  if (before === userId) return
  if (before !== null) forgetDrafts()
  sessionStorage.setItem(ownerPlace, userId)
}

export interface Draft<Value> {
  readonly value: Value
  /** Differs from what it began with. */
  readonly isChanged: boolean
  change(part: Partial<Value>): void
  /** Forgets what was typed: it was saved, or given up. */
  clear(): void
}

/**
 * What a person types into a form, kept by the tab: a reload, a session that ends or a wrong click
 * loses nothing. Never for secrets.
 *
 * @param key of this form and record, such as `agent-create` or `agent-<id>`
 * @param initial what it begins with; a newer one takes its place while nothing was typed
 */
export function useDraft<Value extends object>(key: string, initial: Value): Draft<Value> {
  const place = prefix + key
  const [kept, setKept] = useState(() => ({ place, typed: read<Value>(place) }))
  // The key now belongs to another form: use that one's draft from this render on.
  const typed = kept.place === place ? kept.typed : read<Value>(place)
  const change = useCallback(
    (part: Partial<Value>) => {
      const after = { ...read<Value>(place), ...part }
      sessionStorage.setItem(place, JSON.stringify(after))
      setKept({ place, typed: after })
    },
    [place],
  )
  const clear = useCallback(() => {
    sessionStorage.removeItem(place)
    setKept({ place, typed: {} })
  }, [place])
  const value = { ...initial, ...typed }
  const isChanged = JSON.stringify(value) !== JSON.stringify(initial)
  return { value, isChanged, change, clear }
}

function read<Value>(place: string): Partial<Value> {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(place) ?? '{}')
    return typeof kept === 'object' && kept !== null ? { ...kept } : {}
  } catch {
    // Not ours, or truncated: then there is no draft.
    return {}
  }
}

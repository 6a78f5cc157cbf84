import { useCallback, useState } from 'react'

const prefix = 'parley-draft '
const ownerPlace = 'parley-drafts-of'

/** Drafts that are too large for the browser's storage. They are kept until the page is loaded again. */
const large = new Map<string, object>()

/** Deletes every draft of this tab, because another person may sign in. */
export function forgetDrafts(): void {
  large.clear()
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(prefix)) sessionStorage.removeItem(key)
}

/** Starts the drafts of this person and deletes those that another person left in the tab. */
export function keepDraftsOf(userId: string): void {
  const before = sessionStorage.getItem(ownerPlace)
  if (before === userId) return
  if (before !== null) forgetDrafts()
  sessionStorage.setItem(ownerPlace, userId)
}

export interface Draft<Value> {
  readonly value: Value
  /** Whether the value differs from the initial one. */
  readonly isChanged: boolean
  change(part: Partial<Value>): void
  /** Deletes the fields that equal the saved ones; what was typed meanwhile stays. */
  settle(saved: Value): void
  /** Deletes the draft after it is saved or discarded. */
  clear(): void
  /** The same for a form that is closing: it shows what was typed until it is gone. */
  forget(): void
}

/**
 * The input of a form, kept in the tab's storage, so that a reload, an expired sign-in or a wrong
 * click loses nothing. Never use it for secrets.
 *
 * @param key of this form and record, such as `agent-create` or `agent-<id>`
 * @param initial the value until something is typed; it may change while the draft is empty
 */
export function useDraft<Value extends object>(key: string, initial: Value): Draft<Value> {
  const place = prefix + key
  const [kept, setKept] = useState(() => ({ place, typed: read<Value>(place) }))
  // The key changed: use the draft of the other form from this render on.
  const typed = kept.place === place ? kept.typed : read<Value>(place)
  const change = useCallback(
    (part: Partial<Value>) => {
      const after = { ...read<Value>(place), ...part }
      keep(place, after)
      setKept({ place, typed: after })
    },
    [place],
  )
  const settle = useCallback(
    (saved: Value) => {
      const known = new Map<string, unknown>(Object.entries(saved))
      const isSaved = ([key, value]: [string, unknown]) =>
        JSON.stringify(value) === JSON.stringify(known.get(key))
      const rest = Object.entries(read<Value>(place)).filter((entry) => !isSaved(entry))
      const after = Object.fromEntries(rest) as Partial<Value> // a part of what was read
      keep(place, after)
      setKept({ place, typed: after })
    },
    [place],
  )
  const clear = useCallback(() => {
    drop(place)
    setKept({ place, typed: {} })
  }, [place])
  const forget = useCallback(() => drop(place), [place])
  const value = { ...initial, ...typed }
  const isChanged = JSON.stringify(value) !== JSON.stringify(initial)
  return { value, isChanged, change, settle, clear, forget }
}

function keep(place: string, typed: object): void {
  drop(place)
  try {
    sessionStorage.setItem(place, JSON.stringify(typed))
  } catch {
    // It is full. What is typed must not be lost.
    large.set(place, typed)
  }
}

function drop(place: string): void {
  large.delete(place)
  sessionStorage.removeItem(place)
}

function read<Value>(place: string): Partial<Value> {
  const held = large.get(place)
  if (held !== undefined) return { ...held }
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(place) ?? '{}')
    return typeof kept === 'object' && kept !== null ? { ...kept } : {}
  } catch {
    // Written by something else, or truncated: treat it as no draft.
    return {}
  }
}

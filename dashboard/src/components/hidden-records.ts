import { useSyncExternalStore } from 'react'

let hidden: ReadonlySet<string> = new Set()
const changed = new EventTarget()

/** Keys of records whose delete can still be undone. No page shows these records. */
export function useHiddenRecords(): ReadonlySet<string> {
  return useSyncExternalStore(subscribe, () => hidden)
}

export function hideRecord(key: string): void {
  set(new Set([...hidden, key]))
}

export function showRecord(key: string): void {
  set(new Set([...hidden].filter((one) => one !== key)))
}

function set(next: ReadonlySet<string>): void {
  hidden = next
  changed.dispatchEvent(new Event('change'))
}

function subscribe(listener: () => void): () => void {
  changed.addEventListener('change', listener)
  return () => changed.removeEventListener('change', listener)
}

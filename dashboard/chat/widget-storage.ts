/** In place of a storage that the browser refuses: the visitor is then a new one on each page. */
const unsaved = new Map<string, string>()

export function read(kind: 'local' | 'session', key: string): string | null {
  try {
    return (kind === 'local' ? localStorage : sessionStorage).getItem(`parley ${key}`)
  } catch {
    return unsaved.get(kind) ?? null
  }
}

export function write(kind: 'local' | 'session', key: string, value: string): void {
  try {
    const storage = kind === 'local' ? localStorage : sessionStorage
    storage.setItem(`parley ${key}`, value)
  } catch {
    unsaved.set(kind, value)
  }
}

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

/** What survives loading the next page of the site, in this tab. */
export interface Tab {
  readonly open?: boolean
  readonly conversation?: string | null
  readonly identified?: boolean
  /** Whether the widget has been open before, so that no rule opens it. */
  readonly ruled?: boolean
}

/** Nothing if a script of the host's site has spoiled it. */
export function readTab(key: string): Tab {
  try {
    const kept: unknown = JSON.parse(read('session', key) ?? '{}')
    // Only `keepInTab` writes an object under this name.
    return typeof kept === 'object' && kept !== null ? kept : {}
  } catch {
    return {}
  }
}

export function keepInTab(key: string, change: Tab): void {
  write('session', key, JSON.stringify({ ...readTab(key), ...change }))
}

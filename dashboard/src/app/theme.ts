import { useSyncExternalStore } from 'react'
import { basePath } from '#api/base-path.ts'

export const themes = ['light', 'dark', 'system'] as const
export type Theme = (typeof themes)[number]

const cookie = 'parley_theme'
const secondsKept = 365 * 24 * 3600
/** The pages that read it. Chat pages, which show what strangers write, get no cookie of the dashboard. */
const paths = ['/home', '/agents', '/settings', '/docs'] as const
const changed = new EventTarget()

/**
 * The service renders the theme of this cookie into the page, so that no other theme flashes up.
 */
function current(): Theme {
  const { theme } = document.documentElement.dataset
  return themes.find((one) => one === theme) ?? 'system'
}

export function setTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  store(theme)
  changed.dispatchEvent(new Event('change'))
}

/** Moves a theme that was stored for all addresses, as older versions did. */
export function keepTheme(): void {
  document.cookie = `${cookie}=; path=/; max-age=0`
  if (current() !== 'system') store(current())
}

function store(theme: Theme): void {
  for (const path of paths)
    document.cookie = `${cookie}=${theme}; path=${basePath}${path}; max-age=${secondsKept}; samesite=lax`
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, current)
}

function subscribe(listener: () => void): () => void {
  changed.addEventListener('change', listener)
  return () => changed.removeEventListener('change', listener)
}

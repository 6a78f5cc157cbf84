import { useSyncExternalStore } from 'react'

export const themes = ['light', 'dark', 'system'] as const
export type Theme = (typeof themes)[number]

const cookie = 'parley_theme'
const secondsKept = 365 * 24 * 3600
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
  document.cookie = `${cookie}=${theme}; path=/; max-age=${secondsKept}; samesite=lax`
  changed.dispatchEvent(new Event('change'))
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, current)
}

function subscribe(listener: () => void): () => void {
  changed.addEventListener('change', listener)
  return () => changed.removeEventListener('change', listener)
}

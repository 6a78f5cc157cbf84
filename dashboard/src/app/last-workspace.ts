const place = 'parley_workspace'

/** The workspace that this browser showed last; null if it was the user's own. */
export function lastWorkspace(): string | null {
  return localStorage.getItem(place)
}

export function keepLastWorkspace(id: string | null): void {
  if (id === null) localStorage.removeItem(place)
  else localStorage.setItem(place, id)
}

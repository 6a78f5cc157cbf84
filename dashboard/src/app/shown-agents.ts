export interface Named {
  readonly id: string
  readonly app_name_id: string
  readonly name: string
}

export interface Shown extends Named {
  readonly isPinned: boolean
}

/** The agents of the sidebar, each once: pins first, then the open one if it is not among the others. */
export function shownAgents(
  pinned: readonly Named[],
  newest: readonly Named[],
  open: Named | null,
): readonly Shown[] {
  const pins = new Set(pinned.map(({ id }) => id))
  const others = newest.filter(({ id }) => !pins.has(id))
  const isListed = open === null || pins.has(open.id) || others.some(({ id }) => id === open.id)
  return [
    ...pinned.map((agent) => ({ ...agent, isPinned: true })),
    ...(isListed ? [] : [{ ...open, isPinned: false }]),
    ...others.map((agent) => ({ ...agent, isPinned: false })),
  ]
}

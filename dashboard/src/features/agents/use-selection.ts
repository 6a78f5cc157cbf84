import { useState } from 'react'

/** One call moves at most this many agents. */
export const maxSelected = 100

export interface Selection {
  /** Null while nothing is being selected. */
  readonly ids: ReadonlySet<string> | null
  begin(): void
  end(): void
  set(id: string, selected: boolean): void
}

/** The records of a list that a person selects; another list begins without any. */
export function useSelection(list: string): Selection {
  const [chosen, setChosen] = useState<{ list: string; ids: ReadonlySet<string> } | null>(null)
  const ids = chosen?.list === list ? chosen.ids : null
  return {
    ids,
    begin: () => setChosen({ list, ids: new Set() }),
    end: () => setChosen(null),
    set(id, selected) {
      const next = new Set(ids)
      if (!selected) next.delete(id)
      else if (next.size < maxSelected) next.add(id)
      setChosen({ list, ids: next })
    },
  }
}

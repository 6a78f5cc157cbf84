/** A time span whose rows are read in order; epoch milliseconds, the end exclusive. */
export interface TimeWanted {
  readonly since: number
  readonly until: number
  /** The most rows to read; all if absent. */
  readonly limit?: number | undefined
}

interface Row {
  readonly created_at: number
}

export interface TimePage<R> {
  readonly rows: readonly R[]
  /** All rows before this time are in this page or an earlier one. */
  readonly end: number
}

/**
 * Reads rows in time order, page by page, so that memory stays bounded. A full page may contain
 * only some rows of its last millisecond, so the next page begins with that millisecond.
 */
export async function* pagesOf<R extends Row, Wanted extends TimeWanted>(
  read: (wanted: Wanted) => Promise<readonly R[]>,
  wanted: Wanted,
  limit = 5_000,
): AsyncGenerator<TimePage<R>> {
  for (let { since } = wanted; since < wanted.until;) {
    const rows = await read({ ...wanted, since, limit })
    if (rows.length < limit) {
      yield { rows, end: wanted.until }
      return
    }
    const last = rows.at(-1)?.created_at ?? since
    const isOneMoment = last === since
    const page = isOneMoment
      ? await read({ ...wanted, since, until: since + 1, limit: undefined })
      : rows.filter(({ created_at: at }) => at < last)
    since = isOneMoment ? since + 1 : last
    yield { rows: page, end: since }
  }
}

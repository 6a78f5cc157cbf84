interface LimitFacts {
  readonly limit: string
  readonly things: string
  readonly allowed: number
}

/** How much a limit allows, for people: "20 GB of sources", "500 open invitations". */
export function limitWords({ limit, things, allowed }: LimitFacts): string {
  if (limit !== 'storage_bytes_per_workspace') return `${allowed} ${things}`
  const [size, unit] = allowed < 1e9 ? [allowed / 1e6, 'MB'] : [allowed / 1e9, 'GB']
  return `${Number(size.toPrecision(3))} ${unit} of sources`
}

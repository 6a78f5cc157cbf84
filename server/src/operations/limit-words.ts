interface LimitFacts {
  readonly limit: string
  readonly things: string
  readonly allowed: number
}

const bytes = /^bytes of /

/** How much a limit allows, for people: "20 GB of sources", "500 open invitations". */
export function limitWords({ things, allowed }: LimitFacts): string {
  if (!bytes.test(things)) return `${allowed} ${things}`
  const [size, unit] = allowed < 1e9 ? [allowed / 1e6, 'MB'] : [allowed / 1e9, 'GB']
  return `${Number(size.toPrecision(3))} ${unit} of ${things.replace(bytes, '')}`
}

/** What a plan counts, in words: `1 member`, `10 sources for an agent`. */
export function counted(allowed: number, resource: string): string {
  const [things, of] =
    resource === 'sourcesPerAgent' ? ['sources', ' for an agent'] : [resource, '']
  return `${allowed} ${allowed === 1 ? things.replace(/s$/, '') : things}${of}`
}

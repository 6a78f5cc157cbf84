import { variableName, type UsedHosts } from '#features/variables/index.ts'
import type { ActionDefinition } from './request/action-definition.ts'
import { fillPath, fillTemplate, namesIn } from './request/template.ts'

/** The plain value of a variable; undefined where it has none. */
type ValueOf = (name: string) => string | undefined

/** The host that an action's address names, with its port; null if a missing value decides it. */
export function hostOfAddress(address: string, valueOf: ValueOf): string | null {
  let isKnown = true
  const [, base = '', authority = ''] =
    /^(\{\{[^{}]*\}\}|https?:\/\/)?((?:\{\{[^{}]*\}\}|[^/?#])*)/i.exec(address) ?? []
  const start = fillTemplate(
    fillPath(base + authority, () => 'x'),
    ({ kind, name }) => {
      const value = kind === 'variable' ? valueOf(name) : undefined
      isKnown &&= value !== undefined
      return value ?? ''
    },
  )
  return isKnown ? (URL.parse(start)?.host ?? null) : null
}

/** The variables that an action sends, in any part of its request. */
export function variablesOf(definition: ActionDefinition): Set<string> {
  const direct = definition.parameters.flatMap(({ source, value }) =>
    source === 'variable' ? (variableName.safeParse(value).data ?? []) : [],
  )
  return new Set([...namesIn(JSON.stringify(definition), 'variable'), ...direct])
}

/** For each variable, the hosts of the actions that send it. */
export function hostsByVariable(
  definitions: readonly ActionDefinition[],
  valueOf: ValueOf,
): Map<string, UsedHosts> {
  const found = new Map<string, { hosts: Set<string>; isWhole: boolean }>()
  for (const definition of definitions) {
    const host = hostOfAddress(definition.url, valueOf)
    for (const name of variablesOf(definition)) {
      const used = found.get(name) ?? { hosts: new Set(), isWhole: true }
      found.set(name, used)
      if (host === null) used.isWhole = false
      else used.hosts.add(host)
    }
  }
  return found
}

import type { ItemOf } from '#api/call-operation.ts'

export type Variable = ItemOf<'list_app_variables'>

/** Unique across agents, which may have variables of the same name. */
export function variableKey(agentId: string, name: string): string {
  return `${agentId} ${name}`
}

/** The parts of a key from `variableKey`. Neither contains a space. */
export function variableOf(key: string): { readonly app_id: string; readonly name: string } {
  const [app_id = '', name = ''] = key.split(' ')
  return { app_id, name }
}

import type { ItemOf } from '#api/call-operation.ts'

export type Variable = ItemOf<'list_app_variables'>

/** Another agent may have a variable of the same name. */
export function variableKey(agentId: string, name: string): string {
  return `${agentId} ${name}`
}

/** What `variableKey` was made of: neither has a space. */
export function variableOf(key: string): { readonly app_id: string; readonly name: string } {
  const [app_id = '', name = ''] = key.split(' ')
  return { app_id, name }
}

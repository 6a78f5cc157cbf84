import type { LinkProps } from '@tanstack/react-router'
import type { OutputOf } from '#api/call-operation.ts'
import type { Role } from '#api/me.ts'

export interface Step {
  readonly name: 'model' | 'agent' | 'knowledge' | 'tried' | 'shared'
  readonly isDone: boolean
  /** Where it is done; null while an earlier step is missing. */
  readonly link: Pick<LinkProps, 'to' | 'params' | 'search'> | null
  readonly role: Role
  /** Agents answer without it. */
  readonly isOptional?: boolean
}

/** The step that those after it wait for. */
export const firstNeeded = 'agent'

export function stepsOf(facts: OutputOf<'get_first_steps'>): readonly Step[] {
  const { agent } = facts
  const params = agent === null ? null : { appId: agent.app_name_id }
  const within = (page: 'knowledge' | 'build' | 'share') =>
    params === null ? null : { to: `/agents/$appId/${page}` as const, params }
  return [
    {
      name: 'model',
      isDone: facts.model_connected,
      link: { to: '/settings/providers' },
      role: 'admin',
      isOptional: true,
    },
    { name: 'agent', isDone: facts.agent_created, link: { to: '/agents/new' }, role: 'editor' },
    { name: 'knowledge', isDone: facts.knowledge_added, link: within('knowledge'), role: 'editor' },
    { name: 'tried', isDone: facts.tried, link: within('build'), role: 'viewer' },
    { name: 'shared', isDone: facts.shared, link: within('share'), role: 'editor' },
  ]
}

import { Link } from '@tanstack/react-router'
import { classNames } from '#ui/class-names.ts'
import { Pin } from '#ui/icons.ts'
import { linkStyle } from './link-style.ts'
import type { Shown } from './shown-agents.ts'

export interface AgentLinkProps {
  readonly agent: Shown
  readonly isInFolder?: boolean
}

/** An agent in the sidebar. */
export function AgentLink({ agent, isInFolder = false }: AgentLinkProps) {
  return (
    <li>
      <Link
        to="/agents/$appId"
        params={{ appId: agent.app_name_id }}
        activeOptions={{ includeSearch: false }}
        className={classNames(linkStyle, isInFolder ? 'pl-12' : 'pl-9')}
      >
        {agent.isPinned && <Pin aria-hidden className="-ml-6.5" />}
        <span className="truncate">{agent.name}</span>
      </Link>
    </li>
  )
}

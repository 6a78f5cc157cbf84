import { useState } from 'react'
import { useOperation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { classNames } from '#ui/class-names.ts'
import { Folder, FolderOpen } from '#ui/icons.ts'
import { AgentLink } from './agent-link.tsx'
import { linkStyle } from './link-style.ts'
import { shownAgents, type Named } from './shown-agents.ts'

export interface FolderLinksProps {
  readonly name: string
  /** The agent of the page if it is in this folder. */
  readonly open: Named | null
  /** Those that are at the top of the sidebar already. */
  readonly pinned: readonly Named[]
  readonly most: number
}

/** A folder of the sidebar. Its agents are loaded when it is unfolded; that of the open agent is. */
export function FolderLinks({ name, open, pinned, most }: FolderLinksProps) {
  const { id: workspace_id } = useWorkspace()
  const [chosen, setChosen] = useState<boolean | null>(null)
  const isUnfolded = chosen ?? open !== null
  const input = { workspace_id, folder: name, sort: 'name', limit: most } as const
  const agents = useOperation('list_apps', input, { enabled: isUnfolded })
  const others = shownAgents(pinned, agents.data?.items ?? [], open)
  const Icon = isUnfolded ? FolderOpen : Folder
  return (
    <li>
      <button
        type="button"
        aria-expanded={isUnfolded}
        onClick={() => setChosen(!isUnfolded)}
        className={classNames(linkStyle, 'w-full pl-9 text-left')}
      >
        <Icon aria-hidden className="-ml-6.5" />
        <span className="truncate">{name}</span>
      </button>
      {isUnfolded && (
        <ul className="flex flex-col gap-0.5">
          {others
            .filter(({ isPinned }) => !isPinned)
            .map((agent) => (
              <AgentLink key={agent.id} agent={agent} isInFolder />
            ))}
        </ul>
      )}
    </li>
  )
}

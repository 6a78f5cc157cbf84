import { Link, useParams } from '@tanstack/react-router'
import { useOperation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { useCurrentInView } from '#components/use-current-in-view.ts'
import { t } from '#texts/t.ts'
import { classNames } from '#ui/class-names.ts'
import { Pin, Plus } from '#ui/icons.ts'
import { linkStyle } from './link-style.ts'
import { shownAgents } from './shown-agents.ts'

/** How many agents the sidebar shows besides pins. The agents page lists all of them. */
const maxShown = 30

/** Pinned agents, then the newest ones; the open agent is always among them. */
export function AgentLinks() {
  const { id: workspace_id } = useWorkspace()
  const mayCreate = useMay('editor')
  const newest = useOperation('list_apps', { workspace_id, limit: maxShown })
  const pinned = useOperation('get_pinned_apps', { workspace_id })
  const open = useOpenAgent(workspace_id)
  const shown = shownAgents(pinned.data?.items ?? [], newest.data?.items ?? [], open)
  const list = useCurrentInView<HTMLDivElement>(shown.length)
  return (
    <div ref={list} className="-mx-1 min-h-0 overflow-y-auto px-1 py-0.5">
      <ul className="flex flex-col gap-0.5">
        {shown.map(({ id, app_name_id, name, isPinned }) => (
          <li key={id}>
            <Link
              to="/agents/$appId"
              params={{ appId: app_name_id }}
              activeOptions={{ includeSearch: false }}
              className={classNames(linkStyle, 'pl-9')}
            >
              {isPinned && <Pin aria-hidden className="-ml-6.5" />}
              <span className="truncate">{name}</span>
            </Link>
          </li>
        ))}
        {mayCreate && (
          <li>
            <Link to="/agents/new" className={classNames(linkStyle, 'pl-9')}>
              <Plus aria-hidden className="-ml-6.5" />
              {t('shell.newAgent')}
            </Link>
          </li>
        )}
      </ul>
    </div>
  )
}

/** The agent of the page, which its layout loads as well. */
function useOpenAgent(workspaceId: string) {
  const { appId } = useParams({ strict: false })
  const agent = useOperation('get_app', { app_id: appId ?? '' }, { enabled: appId !== undefined })
  return agent.data?.workspace_id === workspaceId ? agent.data : null
}

import { Link, useParams } from '@tanstack/react-router'
import { useOperation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { useCurrentInView } from '#components/use-current-in-view.ts'
import { t } from '#texts/t.ts'
import { classNames } from '#ui/class-names.ts'
import { Plus } from '#ui/icons.ts'
import { AgentLink } from './agent-link.tsx'
import { FolderLinks } from './folder-links.tsx'
import { linkStyle } from './link-style.ts'
import { shownAgents } from './shown-agents.ts'

/** How many agents the sidebar shows besides pins, and in each folder. The agents page lists all of them. */
const maxShown = 30

/** So that folders are in sight. */
const maxAboveFolders = 10

/** Pinned agents, the newest ones in no folder, then the folders; the open agent is always among them. */
export function AgentLinks() {
  const { id: workspace_id } = useWorkspace()
  const mayCreate = useMay('editor')
  const newest = useOperation('list_apps', { workspace_id, folder: '', limit: maxShown })
  const all = useOperation('get_app_folders', { workspace_id }).data?.items ?? []
  const folders = all.filter(({ name }) => name !== '')
  const pins = useOperation('get_pinned_apps', { workspace_id }).data?.items ?? []
  const open = useOpenAgent(workspace_id)
  const inNone = open?.folder === '' ? open : null
  const most = folders.length === 0 ? maxShown : maxAboveFolders
  const shown = shownAgents(pins, newest.data?.items.slice(0, most) ?? [], inNone)
  const list = useCurrentInView<HTMLDivElement>(shown.length)
  return (
    <div ref={list} className="-mx-1 min-h-0 overflow-y-auto px-1 py-0.5">
      <ul className="flex flex-col gap-0.5">
        {shown.map((agent) => (
          <AgentLink key={agent.id} agent={agent} />
        ))}
        {folders.map(({ name }) => (
          <FolderLinks
            key={name}
            name={name}
            open={open?.folder === name ? open : null}
            pinned={pins}
            most={maxShown}
          />
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

import { Outlet, useNavigate } from '@tanstack/react-router'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { operationKey } from '#api/operation-keys.ts'
import { useOperation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { LinkTabs } from '#components/link-tabs.tsx'
import { NothingHere } from '#components/nothing-here.tsx'
import { PageHeading } from '#components/page-heading.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { t } from '#texts/t.ts'
import { AgentMenu } from './agent-menu.tsx'
import { AgentContext, useAppId, type Agent } from './use-agent.ts'

/** What an agent's pages share: its name, its tabs and the agent itself. */
export function AgentLayout() {
  const appId = useAppId()
  const agent = useOperation('get_app', { app_id: appId })
  useFollowWorkspace(agent.data?.workspace_id)
  useOneAddress(appId, agent.data)
  if (agent.error?.status === 404) return <NothingHere />
  if (agent.error !== null)
    return (
      <>
        <PageHeading title={t('agents.one')} />
        <ErrorState error={agent.error} onRetry={agent.refetch} />
      </>
    )
  if (agent.data === undefined) return <LoadingRows />
  const params = { appId }
  return (
    <AgentContext value={agent.data}>
      <div className="mb-1 flex items-center gap-2">
        <p className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
          <span className="min-w-0 truncate text-lg font-semibold">{agent.data.name}</span>
          <span className="min-w-0 font-mono text-[0.8125rem] break-all text-soft">
            {agent.data.app_name_id}
          </span>
        </p>
        <AgentMenu agent={agent.data} />
      </div>
      <LinkTabs
        label={t('agents.tabs.label')}
        tabs={[
          { label: t('agents.tabs.build'), link: { to: '/agents/$appId/build', params } },
          { label: t('agents.tabs.knowledge'), link: { to: '/agents/$appId/knowledge', params } },
          { label: t('agents.tabs.share'), link: { to: '/agents/$appId/share', params } },
          { label: t('agents.tabs.publish'), link: { to: '/agents/$appId/publish', params } },
          { label: t('agents.tabs.analytics'), link: { to: '/agents/$appId/analytics', params } },
        ]}
      />
      <div className="pt-6">
        <Outlet />
      </div>
    </AgentContext>
  )
}

/** Replaces the UUID of an agent in the URL by its name: all links and tabs compare with it. */
function useOneAddress(appId: string, agent: Agent | undefined): void {
  const client = useQueryClient()
  const navigate = useNavigate()
  useEffect(() => {
    if (agent === undefined || agent.app_name_id === appId) return
    const named = { app_id: agent.app_name_id }
    client.setQueryData(operationKey('get_app', named), agent)
    void navigate({
      to: '.',
      params: (before) => ({ ...before, appId: agent.app_name_id }),
      search: true,
      hash: true,
      replace: true,
    })
  }, [appId, agent, client, navigate])
}

/** Adds the agent's workspace to a URL that lacks it, so that the whole page agrees on it. */
function useFollowWorkspace(workspaceId: string | undefined): void {
  const current = useWorkspace().id
  const navigate = useNavigate()
  useEffect(() => {
    if (workspaceId === undefined || workspaceId === current) return
    void navigate({ to: '.', search: { workspace: workspaceId }, replace: true })
  }, [workspaceId, current, navigate])
}

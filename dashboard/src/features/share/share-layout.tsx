import { Navigate, Outlet } from '@tanstack/react-router'
import { useMay } from '#api/workspace.ts'
import { LinkTabs } from '#components/link-tabs.tsx'
import { PageHeading } from '#components/page-heading.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'

/** /agents/{appId}/share: for editors the chat page and the widget, and the API. */
export function ShareLayout() {
  const agent = useAgent()
  const isEditor = useMay('editor')
  const params = { appId: agent.app_name_id }
  return (
    <>
      <PageHeading
        title={t('share.title')}
        hint={t('share.hint')}
        documentTitle={`${t('share.title')} · ${agent.name}`}
      />
      {isEditor && (
        <LinkTabs
          label={t('share.parts.label')}
          tabs={[
            { label: t('share.parts.page'), link: { to: '/agents/$appId/share/page', params } },
            { label: t('share.parts.look'), link: { to: '/agents/$appId/share/look', params } },
            { label: t('share.parts.widget'), link: { to: '/agents/$appId/share/widget', params } },
            {
              label: t('share.parts.visitors'),
              link: { to: '/agents/$appId/share/visitors', params },
            },
            { label: t('share.parts.api'), link: { to: '/agents/$appId/share/api', params } },
          ]}
        />
      )}
      <div className="flex flex-col gap-6 pt-6">
        <Outlet />
      </div>
    </>
  )
}

/** Most people share an agent without a program. Viewers can see only the API. */
export function ShareIndex() {
  const { app_name_id: appId } = useAgent()
  const to = useMay('editor') ? '/agents/$appId/share/page' : '/agents/$appId/share/api'
  return <Navigate to={to} params={{ appId }} search replace />
}

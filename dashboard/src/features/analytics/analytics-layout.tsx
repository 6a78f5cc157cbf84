import { Outlet } from '@tanstack/react-router'
import { LinkTabs } from '#components/link-tabs.tsx'
import { PageHeading } from '#components/page-heading.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'

/** /agents/{appId}/analytics: the figures and the conversations. */
export function AnalyticsLayout() {
  const agent = useAgent()
  const params = { appId: agent.app_name_id }
  return (
    <>
      <PageHeading
        title={t('analytics.title')}
        hint={t('analytics.hint')}
        documentTitle={`${t('analytics.title')} · ${agent.name}`}
      />
      <LinkTabs
        label={t('analytics.parts.label')}
        tabs={[
          {
            label: t('analytics.parts.overview'),
            link: { to: '/agents/$appId/analytics/overview', params },
          },
          {
            label: t('analytics.parts.conversations'),
            link: { to: '/agents/$appId/analytics/conversations', params },
          },
        ]}
      />
      <div className="pt-6">
        <Outlet />
      </div>
    </>
  )
}

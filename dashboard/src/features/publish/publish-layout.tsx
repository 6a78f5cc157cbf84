import { Outlet } from '@tanstack/react-router'
import { LinkTabs } from '#components/link-tabs.tsx'
import { PageHeading } from '#components/page-heading.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'

/** /agents/{appId}/publish: the catalog and its sections. */
export function PublishLayout() {
  const agent = useAgent()
  const params = { appId: agent.app_name_id }
  return (
    <>
      <PageHeading
        title={t('publish.title')}
        hint={t('publish.hint')}
        documentTitle={`${t('publish.title')} · ${agent.name}`}
      />
      <h2 className="mb-1 text-lg font-semibold">{t('publish.catalog')}</h2>
      <LinkTabs
        label={t('publish.parts.label')}
        tabs={[
          {
            label: t('publish.parts.products'),
            link: { to: '/agents/$appId/publish/catalog/products', params },
          },
          {
            label: t('publish.parts.orders'),
            link: { to: '/agents/$appId/publish/catalog/orders', params },
          },
          {
            label: t('publish.parts.webhooks'),
            link: { to: '/agents/$appId/publish/catalog/webhooks', params },
          },
          {
            label: t('publish.parts.keys'),
            link: { to: '/agents/$appId/publish/catalog/keys', params },
          },
          {
            label: t('publish.parts.settings'),
            link: { to: '/agents/$appId/publish/catalog/checkout', params },
          },
        ]}
      />
      <div className="pt-6">
        <Outlet />
      </div>
    </>
  )
}

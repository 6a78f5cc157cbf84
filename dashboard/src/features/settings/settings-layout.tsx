import { Outlet } from '@tanstack/react-router'
import { LinkTabs } from '#components/link-tabs.tsx'
import { t } from '#texts/t.ts'

/** What the settings pages share. */
export function SettingsLayout() {
  return (
    <>
      <p className="mb-1 text-sm font-medium text-soft">{t('settings.title')}</p>
      <LinkTabs
        label={t('settings.parts')}
        tabs={[
          { label: t('settings.workspace.title'), link: { to: '/settings/workspace' } },
          { label: t('settings.members.title'), link: { to: '/settings/members' } },
          { label: t('settings.developer.title'), link: { to: '/settings/developer' } },
          { label: t('settings.connectedApps.title'), link: { to: '/settings/connected-apps' } },
          { label: t('settings.providers.title'), link: { to: '/settings/providers' } },
          { label: t('settings.billing.title'), link: { to: '/settings/billing' } },
          { label: t('settings.audit.title'), link: { to: '/settings/audit' } },
          { label: t('settings.jobs.title'), link: { to: '/settings/jobs' } },
        ]}
      />
      <div className="pt-6">
        <Outlet />
      </div>
    </>
  )
}

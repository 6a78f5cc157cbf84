import type { LinkProps } from '@tanstack/react-router'
import { t } from '#texts/t.ts'

type Way = Pick<LinkProps, 'to' | 'params' | 'search'>

interface Shown {
  readonly key: string
  readonly group: 'agents' | 'agent' | 'conversations' | 'settings' | 'pages' | 'help'
  readonly label: string
  readonly aside?: string
}

/** What the palette leads to: a page of the dashboard, or another one in a new tab. */
export type PaletteItem = Shown &
  (
    | { readonly link: Way; readonly href?: undefined }
    | { readonly href: string; readonly link?: undefined }
  )

type SettingsPath =
  `/settings/${'workspace' | 'members' | 'developer' | 'connected-apps' | 'providers' | 'billing' | 'audit' | 'jobs'}`

/** Pages and settings, which need no request. */
export function pageItems(): readonly PaletteItem[] {
  const setting = (to: SettingsPath, label: string): PaletteItem => ({
    key: to,
    group: 'settings',
    label,
    link: { to },
  })
  const page = (to: '/home' | '/agents' | '/agents/new', label: string): PaletteItem => ({
    key: to,
    group: 'pages',
    label,
    link: { to },
  })
  return [
    page('/home', t('shell.home')),
    page('/agents', t('shell.agents')),
    page('/agents/new', t('shell.newAgent')),
    setting('/settings/workspace', t('settings.workspace.title')),
    setting('/settings/members', t('settings.members.title')),
    setting('/settings/developer', t('settings.developer.title')),
    setting('/settings/connected-apps', t('settings.connectedApps.title')),
    setting('/settings/providers', t('settings.providers.title')),
    setting('/settings/billing', t('settings.billing.title')),
    setting('/settings/audit', t('settings.audit.title')),
    setting('/settings/jobs', t('settings.jobs.title')),
  ]
}

const parts = ['build', 'knowledge', 'share', 'publish', 'analytics'] as const

/** The pages of the open agent. */
export function agentItems(appId: string): readonly PaletteItem[] {
  return parts.map((part) => ({
    key: part,
    group: 'agent',
    label: t(`agents.tabs.${part}`),
    link: { to: `/agents/$appId/${part}` as const, params: { appId } },
  }))
}

/** Those whose label has every word that was typed, in any order. */
export function matching(items: readonly PaletteItem[], typed: string): readonly PaletteItem[] {
  const words = typed.toLowerCase().split(/\s+/)
  return items.filter(({ label }) => {
    const text = label.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

import type { LinkProps } from '@tanstack/react-router'
import { t } from '#texts/t.ts'

type Way = Pick<LinkProps, 'to' | 'params' | 'search'>

interface Shown {
  readonly key: string
  readonly group: 'agents' | 'agent' | 'conversations' | 'settings' | 'pages' | 'account' | 'help'
  readonly label: string
  /** What it is part of; its words find it, too. */
  readonly aside?: string
  /** Offered only for a text that has a word of its label. */
  readonly isPart?: boolean
}

/** What the palette leads to: a page of the dashboard, or another one. */
export type PaletteItem = Shown &
  (
    | { readonly link: Way; readonly href?: undefined }
    | {
        /** Below the base path. */ readonly href: string
        readonly opensTab: boolean
        readonly link?: undefined
      }
  )

const settingsPages = [
  ['/settings/workspace', 'settings.workspace.title'],
  ['/settings/members', 'settings.members.title'],
  ['/settings/developer', 'settings.developer.title'],
  ['/settings/connected-apps', 'settings.connectedApps.title'],
  ['/settings/providers', 'settings.providers.title'],
  ['/settings/billing', 'settings.billing.title'],
  ['/settings/audit', 'settings.audit.title'],
  ['/settings/jobs', 'settings.jobs.title'],
] as const

/** Sections of the pages of settings. */
const settingsParts = [
  ['/settings/workspace', 'settings.workspace.title', 'settings.workspace.name'],
  ['/settings/workspace', 'settings.workspace.title', 'settings.workspace.factor.title'],
  ['/settings/workspace', 'settings.workspace.title', 'settings.limits.title'],
  ['/settings/members', 'settings.members.title', 'palette.invitations'],
  ['/settings/developer', 'settings.developer.title', 'palette.developerKeys'],
  ['/settings/billing', 'settings.billing.title', 'palette.credits'],
] as const

const accountParts = [
  ['/account', 'palette.account.name'],
  ['/account/email', 'palette.account.email'],
  ['/account', 'palette.account.password'],
  ['/account', 'palette.account.factors'],
  ['/account', 'palette.account.sessions'],
] as const

/** Pages, settings and the person's account, which need no request. */
export function pageItems(): readonly PaletteItem[] {
  const page = (to: '/home' | '/agents' | '/agents/new', label: string): PaletteItem => ({
    key: to,
    group: 'pages',
    label,
    link: { to },
  })
  const account = { group: 'account', opensTab: false } as const
  return [
    page('/home', t('shell.home')),
    page('/agents', t('shell.agents')),
    page('/agents/new', t('shell.newAgent')),
    ...settingsPages.map(([to, label]): PaletteItem => ({
      key: to,
      group: 'settings',
      label: t(label),
      aside: t('settings.title'),
      link: { to },
    })),
    ...settingsParts.map(([to, title, label]): PaletteItem => ({
      key: label,
      group: 'settings',
      label: t(label),
      aside: t(title),
      isPart: true,
      link: { to },
    })),
    { ...account, key: 'account', label: t('shell.yourAccount'), href: '/account' },
    ...accountParts.map(([path, label]): PaletteItem => ({
      ...account,
      key: label,
      label: t(label),
      aside: t('shell.yourAccount'),
      isPart: true,
      href: path,
    })),
  ]
}

const tabs = ['build', 'knowledge', 'share', 'publish', 'analytics'] as const

/** Parts of the tabs, under their own addresses. */
const tabParts = [
  ['build', '/agents/$appId/build', 'build.parts.settings'],
  ['build', '/agents/$appId/build/actions', 'build.parts.actions'],
  ['build', '/agents/$appId/build/variables', 'build.parts.variables'],
  ['build', '/agents/$appId/build/servers', 'build.parts.servers'],
  ['build', '/agents/$appId/build/versions', 'build.parts.versions'],
  ['build', '/agents/$appId/build/compare', 'build.parts.compare'],
  ['share', '/agents/$appId/share/page', 'share.parts.page'],
  ['share', '/agents/$appId/share/look', 'share.parts.look'],
  ['share', '/agents/$appId/share/widget', 'share.parts.widget'],
  ['share', '/agents/$appId/share/visitors', 'share.parts.visitors'],
  ['share', '/agents/$appId/share/api', 'share.parts.api'],
  ['publish', '/agents/$appId/publish/catalog/products', 'publish.parts.products'],
  ['publish', '/agents/$appId/publish/catalog/orders', 'publish.parts.orders'],
  ['publish', '/agents/$appId/publish/catalog/webhooks', 'publish.parts.webhooks'],
  ['publish', '/agents/$appId/publish/catalog/keys', 'publish.parts.keys'],
  ['publish', '/agents/$appId/publish/catalog/checkout', 'publish.parts.settings'],
  ['analytics', '/agents/$appId/analytics/overview', 'analytics.parts.overview'],
  ['analytics', '/agents/$appId/analytics/conversations', 'analytics.parts.conversations'],
] as const

/** The pages of the open agent. */
export function agentItems(appId: string): readonly PaletteItem[] {
  const params = { appId }
  return [
    ...tabs.map((tab): PaletteItem => ({
      key: tab,
      group: 'agent',
      label: t(`agents.tabs.${tab}`),
      link: { to: `/agents/$appId/${tab}` as const, params },
    })),
    ...tabParts.map(([tab, to, label]): PaletteItem => ({
      key: `${tab} ${to}`,
      group: 'agent',
      label: t(label),
      aside: t(`agents.tabs.${tab}`),
      isPart: true,
      link: { to, params },
    })),
  ]
}

/**
 * Those that have every word that was typed, in any order. Of parts of a page, one word must be in the
 * label: the name of the page alone finds the page. The word "settings" finds all their pages.
 */
export function matching(items: readonly PaletteItem[], typed: string): readonly PaletteItem[] {
  const words = typed.toLowerCase().split(/\s+/)
  return items.filter(({ label, aside = '', isPart = false }) => {
    if (typed === '') return !isPart
    const own = label.toLowerCase()
    const text = `${own} ${aside.toLowerCase()}`
    return (
      words.every((word) => text.includes(word)) &&
      (!isPart || words.some((word) => own.includes(word)))
    )
  })
}

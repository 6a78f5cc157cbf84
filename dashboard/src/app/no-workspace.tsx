import type { Me } from '#api/me.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { t } from '#texts/t.ts'
import { AccountMenu } from './account-menu.tsx'

export function NoWorkspace({ me }: { readonly me: Me }) {
  return (
    <main className="mx-auto max-w-xl px-4 py-16">
      <PageHeading title={t('shell.noWorkspace')} hint={t('shell.noWorkspaceHint')} />
      <AccountMenu me={me} />
    </main>
  )
}

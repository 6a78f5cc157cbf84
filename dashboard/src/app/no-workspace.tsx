import { lazy, Suspense } from 'react'
import type { Me } from '#api/me.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { LoadingRows } from '#components/states.tsx'
import { t } from '#texts/t.ts'
import { AccountMenu } from './account-menu.tsx'

/** Loaded on demand: people with a workspace never need it. */
const FirstWorkspace = lazy(async () => ({
  default: (await import('#features/settings/workspace/first-workspace.tsx')).FirstWorkspace,
}))

export function NoWorkspace({ me }: { readonly me: Me }) {
  return (
    <main className="mx-auto max-w-xl px-4 py-16">
      <PageHeading title={t('shell.noWorkspace')} hint={t('shell.noWorkspaceHint')} />
      <div className="flex flex-col gap-6">
        <Suspense fallback={<LoadingRows rows={1} />}>
          <FirstWorkspace />
        </Suspense>
        <AccountMenu me={me} />
      </div>
    </main>
  )
}

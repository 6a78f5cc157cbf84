import { addFactorPath } from '#api/add-factor-path.ts'
import type { Me } from '#api/me.ts'
import { useWorkspace } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { AccountMenu } from './account-menu.tsx'
import { WorkspaceSwitcher } from './workspace-switcher.tsx'

/** In place of every page of a workspace that waits for the second factor of this owner. */
export function FactorNeeded({ me }: { readonly me: Me }) {
  const { name } = useWorkspace()
  return (
    <main className="mx-auto max-w-xl px-4 py-16">
      <PageHeading title={t('shell.factorNeeded')} hint={t('shell.factorNeededHint', { name })} />
      <div className="flex flex-col items-start gap-6">
        <Button look="primary" render={<a href={addFactorPath()} />}>
          {t('shell.addFactor')}
        </Button>
        {me.workspaces.length > 1 && <WorkspaceSwitcher me={me} />}
        <AccountMenu me={me} />
      </div>
    </main>
  )
}

import type { ReactNode } from 'react'
import { useMay } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Notice } from '#ui/surfaces.tsx'
import { BackLink } from '#components/back-link.tsx'

export interface AddActionsFrameProps {
  readonly title: string
  readonly hint: string
  /** The form, which only editors see. */
  readonly children: ReactNode
}

/** What the pages that add actions share: the back link, the heading and the role they require. */
export function AddActionsFrame({ title, hint, children }: AddActionsFrameProps) {
  const agent = useAgent()
  const mayChange = useMay('editor')
  return (
    <>
      <BackLink link={{ to: '/agents/$appId/build/actions', params: { appId: agent.app_name_id } }}>
        {t('build.actions.back')}
      </BackLink>
      <PageHeading title={title} hint={hint} documentTitle={`${title} · ${agent.name}`} />
      {mayChange ? children : <Notice>{t('build.actions.readOnly')}</Notice>}
    </>
  )
}

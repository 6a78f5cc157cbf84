import { Link } from '@tanstack/react-router'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { PageHeading } from './page-heading.tsx'

/** For a URL of an unknown page, a deleted record, or one that the user has no access to. */
export function NothingHere() {
  return (
    <div className="mx-auto w-full max-w-xl py-16">
      <PageHeading title={t('common.error.notFound')} hint={t('common.error.notFoundHint')} />
      <Button look="primary" render={<Link to="/agents" />}>
        {t('common.error.toAgents')}
      </Button>
    </div>
  )
}

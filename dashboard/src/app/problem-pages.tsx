import type { ErrorComponentProps } from '@tanstack/react-router'
import { OperationError } from '#api/operation-error.ts'
import { messageOf } from '#components/message-of.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { titleOf } from '#components/title-of.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'

/** Shown in place of a page that failed to render. */
export function PageProblem({ error, reset }: ErrorComponentProps) {
  const isOutage = error instanceof OperationError && error.isOutage
  const requestId = error instanceof OperationError ? error.requestId : null
  return (
    <div role="alert" className="mx-auto w-full max-w-xl py-16">
      <PageHeading
        title={isOutage ? titleOf(error) : t('common.error.page')}
        hint={messageOf(error)}
      />
      {requestId !== null && (
        <p className="mb-4 font-mono text-xs text-soft">
          {t('common.error.request', { id: requestId })}
        </p>
      )}
      <div className="flex gap-2">
        <Button look="primary" onClick={() => location.reload()}>
          {t('common.error.reload')}
        </Button>
        <Button onClick={reset}>{t('common.retry')}</Button>
      </div>
    </div>
  )
}

/** The same where there is no page around it: the dashboard itself could not be loaded. */
export function RootProblem(props: ErrorComponentProps) {
  return (
    <main className="px-4">
      <PageProblem {...props} />
    </main>
  )
}

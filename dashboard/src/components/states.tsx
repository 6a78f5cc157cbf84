import { Inbox } from '#ui/icons.ts'
import type { ComponentType, ReactNode } from 'react'
import { OperationError } from '#api/operation-error.ts'
import type { OperationList } from '#api/use-operation.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Skeleton } from '#ui/surfaces.tsx'
import { ErrorText } from './error-text.tsx'
import { titleOf } from './title-of.ts'

/** Placeholders for a list that is still loading. */
export function LoadingRows({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div role="status" className="flex flex-col gap-3">
      <span className="sr-only">{t('common.loading')}</span>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} className="h-14" />
      ))}
    </div>
  )
}

export interface ErrorStateProps {
  readonly error: OperationError | Error
  readonly onRetry?: () => void
}

/** Shows why something could not be loaded, with a button to retry. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  // A retry cannot bring back a record that is gone.
  const isGone = error instanceof OperationError && error.status === 404
  return (
    <div role="alert" className="rounded-2xl border border-line bg-card p-6">
      <p className="font-medium">{titleOf(error)}</p>
      <p className="mt-1 text-sm text-soft">
        <ErrorText error={error} />
      </p>
      {onRetry !== undefined && !isGone && (
        <Button className="mt-4" size="small" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      )}
    </div>
  )
}

export interface EmptyStateProps {
  readonly title: string
  /** Names the next step. */
  readonly hint?: ReactNode
  readonly icon?: ComponentType<{ className?: string }>
  /** The button for the next step. */
  readonly action?: ReactNode
}

export function EmptyState({ title, hint, icon: Icon = Inbox, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center rounded-2xl border border-dashed border-line px-6 py-12 text-center">
      <div className="mb-4 rounded-full bg-accent-ground p-3 text-accent">
        <Icon className="size-6" />
      </div>
      <p className="font-medium">{title}</p>
      {hint !== undefined && <p className="mt-1 max-w-md text-sm text-soft">{hint}</p>}
      {action !== undefined && <div className="mt-5">{action}</div>}
    </div>
  )
}

export interface ListStatesProps {
  readonly list: Pick<OperationList<unknown>, 'isPending' | 'error' | 'refetch'>
  /** How many placeholders are shown while the list loads. */
  readonly rows?: number
  readonly isEmpty?: boolean
  /** Shown in place of the list while it is empty. */
  readonly empty?: ReactNode
  /** The list itself. */
  readonly children: ReactNode
}

/** A list, or what is shown in its place: loading, an error, or that it is empty. */
export function ListStates({ list, rows, isEmpty = false, empty, children }: ListStatesProps) {
  if (list.isPending) return <LoadingRows {...(rows === undefined ? {} : { rows })} />
  if (list.error !== null) return <ErrorState error={list.error} onRetry={list.refetch} />
  return isEmpty ? empty : children
}

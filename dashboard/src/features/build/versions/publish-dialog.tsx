import { lazy, Suspense } from 'react'
import { LoadingRows } from '#components/states.tsx'
import { t } from '#texts/t.ts'
import { Dialog } from '#ui/dialog.tsx'

const PublishForm = lazy(async () => ({
  default: (await import('./publish-form.tsx')).PublishForm,
}))

export interface PublishDialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
}

/** What the draft changes for callers, a note, and publishing it. */
export function PublishDialog({ open, onOpenChange }: PublishDialogProps) {
  return (
    <Dialog
      wide
      open={open}
      onOpenChange={onOpenChange}
      title={t('build.saving.publish')}
      description={t('build.saving.publishHint')}
      closeLabel={t('common.close')}
    >
      <Suspense fallback={<LoadingRows rows={3} />}>
        <PublishForm onDone={() => onOpenChange(false)} />
      </Suspense>
    </Dialog>
  )
}

import { useState, type FormEvent } from 'react'
import { useOperationMutation } from '#api/use-operation.ts'
import { messageOf } from '#components/message-of.ts'
import { textOfFile } from '#components/text-of-file.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'

export interface ImportDialogProps {
  readonly open: boolean
  onClose(): void
}

export function ImportDialog({ open, onClose }: ImportDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={t('publish.import.title')}
      description={t('publish.import.hint')}
      closeLabel={t('common.close')}
      wide
    >
      <ImportForm onClose={onClose} />
    </Dialog>
  )
}

function ImportForm({ onClose }: { readonly onClose: () => void }) {
  const agent = useAgent()
  const [file, setFile] = useState<File | null>(null)
  const [isUnreadable, setIsUnreadable] = useState(false)
  const load = useOperationMutation('import_products', {
    refreshes: ['list_products'],
    onSuccess({ created, updated }) {
      notify({ title: t('publish.import.done', { created, updated }) })
      onClose()
    },
  })
  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (file === null) return
    // text() removes the byte order mark that Excel writes.
    const csv = await textOfFile(file)
    setIsUnreadable(csv === null)
    if (csv !== null) load.mutate({ app_id: agent.id, csv })
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
      <Field label={t('publish.import.file')} hint={t('publish.import.allOrNothing')}>
        <Input
          required
          type="file"
          accept=".csv,text/csv"
          className="py-1.5"
          onChange={(event) => {
            load.reset()
            setIsUnreadable(false)
            setFile(event.currentTarget.files?.[0] ?? null)
          }}
        />
      </Field>
      {isUnreadable && <Notice tone="bad">{t('common.error.unreadable')}</Notice>}
      {load.error !== null && (
        <Notice tone="bad" title={load.error.message}>
          {load.error.issues.length > 0 && (
            <ul className="mt-1 list-disc pl-5">
              {load.error.issues.map((issue) => (
                <li key={issue}>{issue}</li>
              ))}
            </ul>
          )}
          {load.error.issues.length === 0 && messageOf(load.error) !== load.error.message
            ? messageOf(load.error)
            : null}
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={load.isPending}>
          {t('publish.import.submit')}
        </Button>
      </DialogActions>
    </form>
  )
}

import { useRef, useState } from 'react'
import type { InputOf, OutputOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { messageOf } from '#components/message-of.ts'
import { saveFile } from '#components/save-file.ts'
import { textOfFile } from '#components/text-of-file.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { ImportColumns, ImportPreview } from './import-preview.tsx'

type Columns = NonNullable<InputOf<'import_products'>['columns']>
type Preview = OutputOf<'preview_product_import'>

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

/** Two products, with prices as people write them and a list. */
const sample = [
  'sku,name,description,price,stock,fulfillment_type,categories,images',
  'T-1,Sencha,"Green tea, 100 g",9.90 EUR,25,shipping,Tea|Green,',
  'T-2,Teapot,,"€ 1.299,00",,pickup,Pots,',
].join('\r\n')

function ImportForm({ onClose }: { readonly onClose: () => void }) {
  const { id: app_id } = useAgent()
  const [csv, setCsv] = useState<string | null>(null)
  const [columns, setColumns] = useState<Columns>({})
  const [isUnreadable, setIsUnreadable] = useState(false)
  // Kept while another one arrives, so that the fields of the columns stay.
  const [found, setFound] = useState<Preview | null>(null)
  const preview = useOperationMutation('preview_product_import')
  const chosen = useRef<File | undefined>(undefined)
  const load = useOperationMutation('import_products', {
    refreshes: ['list_products'],
    onSuccess({ created, updated, rejected, rejected_csv: rejectedCsv }) {
      notify({ title: t('publish.import.done', { created, updated }) })
      if (rejectedCsv === null) return onClose()
      saveFile('rejected-products.csv', rejectedCsv, 'text/csv')
      notify({ title: t('publish.import.rejected', { count: rejected }) })
      onClose()
    },
  })
  async function choose(file: File | undefined): Promise<void> {
    chosen.current = file
    load.reset()
    preview.reset()
    setFound(null)
    setCsv(null)
    // text() removes the byte order mark that Excel writes.
    const text = file === undefined ? null : await textOfFile(file)
    // Another file was chosen while this one was read.
    if (chosen.current !== file) return
    setIsUnreadable(file !== undefined && text === null)
    setCsv(text)
    if (text === null) return
    look({ app_id, csv: text }, (read) => setColumns(guessed(read)))
  }
  /** Only the answer to the latest request is shown: the callback of an earlier one is not called. */
  function look(
    input: InputOf<'preview_product_import'>,
    onRead: (read: Preview) => void = () => undefined,
  ): void {
    const onSuccess = (read: Preview) => {
      setFound(read)
      onRead(read)
    }
    preview.mutate(input, { onSuccess })
  }
  function map(next: Columns): void {
    setColumns(next)
    if (csv !== null) look({ app_id, csv, columns: next })
  }
  function submit(): void {
    if (csv !== null) load.mutate({ app_id, csv, columns, partial: true })
  }
  const error = preview.error ?? load.error
  const count = (found?.created ?? 0) + (found?.updated ?? 0)
  return (
    <form action={submit} className="flex flex-col gap-5">
      <Field label={t('publish.import.file')}>
        <Input
          required
          type="file"
          accept=".csv,text/csv"
          className="py-1.5"
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
      </Field>
      <Button
        className="self-start"
        onClick={() => saveFile('products.csv', `${sample}\r\n`, 'text/csv')}
      >
        {t('publish.import.sample')}
      </Button>
      {isUnreadable && <Notice tone="bad">{t('common.error.unreadable')}</Notice>}
      {found !== null && (
        <>
          <ImportColumns found={found.columns} columns={columns} onChange={map} />
          <ImportPreview preview={found} />
        </>
      )}
      {error !== null && (
        <Notice tone="bad" title={error.message}>
          {error.issues.length > 0 ? error.issues.join('; ') : messageOf(error)}
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button
          look="primary"
          type="submit"
          busy={load.isPending || preview.isPending}
          disabled={count === 0}
        >
          {count === 0 ? t('publish.import.submit') : t('publish.import.submitSome', { count })}
        </Button>
      </DialogActions>
    </form>
  )
}

function guessed({ columns }: Preview): Columns {
  return Object.fromEntries(
    columns.flatMap(({ header, field }) => (field === null ? [] : [[header, field]])),
  )
}

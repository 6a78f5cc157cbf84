import { ErrorText } from '#components/error-text.tsx'
import { saveFile } from '#components/save-file.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { ImportColumns, ImportPreview } from './import-preview.tsx'
import { useImport } from './use-import.ts'

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
  const { columns, found, isUnreadable, isBusy, error, choose, map, submit } = useImport(onClose)
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
        <Notice tone="bad" title={<ErrorText error={error} />}>
          {error.issues.join('; ')}
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={isBusy} disabled={count === 0}>
          {count === 0 ? t('publish.import.submit') : t('publish.import.submitSome', { count })}
        </Button>
      </DialogActions>
    </form>
  )
}

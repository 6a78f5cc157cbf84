import { useState, type FormEvent } from 'react'
import { useOperation, useOperationMutation } from '#api/use-operation.ts'
import { ErrorText } from '#components/error-text.tsx'
import { LoadingRows } from '#components/states.tsx'
import { useDraft } from '#components/use-draft.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { changesOf, draftOf, fieldsOf } from './product-draft.ts'
import { ProductFields } from './product-fields.tsx'
import type { Product } from './product-row.tsx'

export interface ProductDialogProps {
  readonly open: boolean
  /** Null to create one. */
  readonly product: Product | null
  onClose(): void
}

export function ProductDialog({ open, product, onClose }: ProductDialogProps) {
  const agent = useAgent()
  const settings = useOperation('get_commerce_settings', { app_id: agent.id })
  const currency = product?.currency ?? settings.data?.currency
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={product === null ? t('publish.products.create') : t('publish.products.editTitle')}
      closeLabel={t('common.close')}
    >
      {currency === undefined ? (
        <LoadingRows />
      ) : (
        <ProductForm
          key={product?.id ?? 'new'}
          product={product}
          currency={currency.toUpperCase()}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

interface ProductFormProps extends Omit<ProductDialogProps, 'open'> {
  readonly currency: string
}

function ProductForm({ product, currency, onClose }: ProductFormProps) {
  const agent = useAgent()
  const draft = useDraft(`product ${product?.id ?? agent.id}`, draftOf(product))
  const [isPriceWrong, setIsPriceWrong] = useState(false)
  const save = useOperationMutation('upsert_product', {
    refreshes: ['list_products'],
    onSuccess({ name }) {
      draft.clear()
      notify({ title: t('publish.products.saved', { name }) })
      onClose()
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    const fields =
      product === null ? fieldsOf(draft.value, currency) : changesOf(draft.value, product, currency)
    setIsPriceWrong(fields === null)
    if (fields === null) return
    const which = product === null ? {} : { product_id: product.id }
    save.mutate({ app_id: agent.id, ...which, ...fields })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <ProductFields
        value={draft.value}
        change={draft.change}
        currency={currency}
        priceError={isPriceWrong ? t('publish.products.priceWrong') : undefined}
      />
      {save.error !== null && (
        <Notice tone="bad">
          <ErrorText error={save.error} />
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={save.isPending}>
          {t('common.save')}
        </Button>
      </DialogActions>
    </form>
  )
}

import { Pencil, Trash2 } from '#ui/icons.ts'
import type { ItemOf } from '#api/call-operation.ts'
import { formatMoney } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge } from '#ui/surfaces.tsx'

export type Product = ItemOf<'list_products'>

export interface ProductRowProps {
  readonly product: Product
  readonly mayChange: boolean
  onEdit(): void
  onDelete(): void
}

export function ProductRow({ product, mayChange, onEdit, onDelete }: ProductRowProps) {
  const { name, sku, stock } = product
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line in-data-[index=0]:border-t-0 py-3.5">
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 font-medium break-words">{name}</span>
          {!product.active && <Badge>{t('publish.products.inactive')}</Badge>}
          {stock === 0 && <Badge tone="warn">{t('publish.products.soldOut')}</Badge>}
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          {sku !== null && <span className="font-mono">{sku}</span>}
          <span>{t(`publish.products.fulfillments.${product.fulfillment_type}`)}</span>
          <span>
            {stock === null
              ? t('publish.products.uncounted')
              : t('publish.products.stock', { count: stock })}
          </span>
        </p>
      </div>
      <span className="ml-auto flex items-center gap-1">
        <span className="me-3 font-medium tabular-nums">
          {formatMoney(product.price_amount, product.currency)}
        </span>
        {mayChange && (
          <>
            <Button
              look="quiet"
              size="icon"
              onClick={onEdit}
              aria-label={t('publish.products.edit', { name })}
            >
              <Pencil aria-hidden />
            </Button>
            <Button
              look="quiet"
              size="icon"
              onClick={onDelete}
              aria-label={t('publish.products.delete', { name })}
            >
              <Trash2 aria-hidden />
            </Button>
          </>
        )}
      </span>
    </div>
  )
}

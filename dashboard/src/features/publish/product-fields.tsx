import type { ChangeEvent } from 'react'
import { t } from '#texts/t.ts'
import { Field, Input, TextArea } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Switch } from '#ui/switch.tsx'
import { fulfillments, type ProductDraft } from './product-draft.ts'

export interface ProductFieldsProps {
  readonly value: ProductDraft
  change(part: Partial<ProductDraft>): void
  readonly currency: string
  readonly priceError: string | undefined
}

type TextName = Exclude<keyof ProductDraft, 'fulfillment' | 'active'>

export function ProductFields({ value, change, currency, priceError }: ProductFieldsProps) {
  const of = (name: TextName) => ({
    value: value[name],
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      change({ [name]: event.currentTarget.value }),
  })
  return (
    <>
      <Field label={t('publish.products.name')}>
        <Input
          required
          maxLength={200}
          placeholder={t('publish.products.namePlaceholder')}
          {...of('name')}
        />
      </Field>
      <Field label={t('publish.products.description')}>
        <TextArea rows={3} {...of('description')} />
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={t('publish.products.price', { currency })} error={priceError}>
          <Input required inputMode="decimal" {...of('price')} />
        </Field>
        <Field label={t('publish.products.stockLabel')} hint={t('publish.products.stockHint')}>
          <Input type="number" min={0} step={1} {...of('stock')} />
        </Field>
        <Field label={t('publish.products.fulfillment')}>
          <Select
            choices={fulfillments.map((one) => ({
              value: one,
              label: t(`publish.products.fulfillments.${one}`),
            }))}
            value={value.fulfillment}
            onChange={(fulfillment) => change({ fulfillment })}
          />
        </Field>
        <Field label={t('publish.products.sku')} hint={t('publish.products.skuHint')}>
          <Input {...of('sku')} />
        </Field>
      </div>
      <Field label={t('publish.products.images')} hint={t('publish.products.imagesHint')}>
        <TextArea rows={2} {...of('images')} />
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={t('publish.products.categories')} hint={t('publish.products.categoriesHint')}>
          <TextArea rows={2} {...of('categories')} />
        </Field>
        <Field label={t('publish.products.taxCode')}>
          <Input {...of('taxCode')} />
        </Field>
      </div>
      <Switch
        checked={value.active}
        onChange={(active) => change({ active })}
        label={t('publish.products.active')}
        hint={t('publish.products.activeHint')}
      />
    </>
  )
}

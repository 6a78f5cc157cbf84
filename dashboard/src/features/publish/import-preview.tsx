import type { InputOf, OutputOf } from '#api/call-operation.ts'
import { formatMoney } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Notice } from '#ui/surfaces.tsx'

type Preview = OutputOf<'preview_product_import'>
type Columns = NonNullable<InputOf<'import_products'>['columns']>

const fields = [
  'name',
  'sku',
  'description',
  'price',
  'price_amount',
  'currency',
  'stock',
  'fulfillment_type',
  'categories',
  'images',
  'tax_code',
  'active',
  'product_id',
] as const satisfies readonly Columns[string][]

export interface ImportColumnsProps {
  readonly found: Preview['columns']
  readonly columns: Columns
  onChange(next: Columns): void
}

/** Which field each column of the file holds. */
export function ImportColumns({ found, columns, onChange }: ImportColumnsProps) {
  const choices = [
    { value: 'ignored', label: t('publish.import.ignored') },
    ...fields.map((value) => ({ value, label: t(`publish.import.fields.${value}`) })),
  ] as const
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium">{t('publish.import.columns')}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {found.map(({ header, example }) => (
          <Field key={header} label={header} {...(example === '' ? {} : { hint: example })}>
            <Select
              choices={choices}
              value={columns[header] ?? 'ignored'}
              onChange={(field) => {
                const { [header]: _, ...others } = columns
                onChange(field === 'ignored' ? others : { ...others, [header]: field })
              }}
            />
          </Field>
        ))}
      </div>
    </fieldset>
  )
}

/** The first products as they would be stored, and the lines that would be rejected. */
export function ImportPreview({ preview }: { readonly preview: Preview }) {
  const { products, problems, rejected, created, updated } = preview
  return (
    <section className="flex flex-col gap-3 text-sm" aria-label={t('publish.import.preview')}>
      <p className="font-medium">{t('publish.import.counts', { created, updated })}</p>
      {products.length > 0 && (
        <ul className="divide-y divide-line">
          {products.map(({ name, sku, price_amount: price, currency }, index) => (
            <li key={index} className="flex justify-between gap-4 py-1.5">
              <span className="min-w-0 break-words">{name ?? sku ?? '–'}</span>
              <span className="shrink-0 tabular-nums">
                {price === undefined
                  ? ''
                  : currency === undefined
                    ? String(price)
                    : formatMoney(price, currency)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {rejected > 0 && (
        <Notice tone="warn" title={t('publish.import.willReject', { count: rejected })}>
          <ul className="mt-1 list-disc pl-5">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
    </section>
  )
}

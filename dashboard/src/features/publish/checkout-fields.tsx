import { Plus, Trash2 } from '#ui/icons.ts'
import { isCurrency } from '#texts/money.ts'
import { newRowId } from '#components/new-row-id.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { Switch } from '#ui/switch.tsx'
import type { CheckoutDraft, RateDraft, ShippingDraft } from './checkout-draft.ts'

export interface PartProps {
  readonly value: CheckoutDraft
  change(part: Partial<CheckoutDraft>): void
}

export interface PricedPartProps extends PartProps {
  /** The title of the shipping option, or the discount code, whose price is not an amount. */
  readonly wrongPrice: string | null
}

export function ShippingFields({ value, change, wrongPrice }: PricedPartProps) {
  const { shipping } = value
  const currency = isCurrency(value.currency) ? value.currency : '…'
  const set = (id: string, part: Partial<ShippingDraft>) =>
    change({ shipping: shipping.map((one) => (one.id === id ? { ...one, ...part } : one)) })
  const add = () =>
    change({
      shipping: [...shipping, { id: newRowId(), title: '', price: '0', countries: '' }],
    })
  return (
    <Card>
      <CardHeading
        title={t('publish.settings.shipping')}
        hint={t('publish.settings.shippingHint')}
      />
      <div className="flex flex-col gap-4">
        {shipping.map((option) => (
          <div key={option.id} className="flex flex-wrap items-start gap-4">
            <Field label={t('publish.settings.shippingTitle')} className="flex-1 basis-44">
              <Input
                required
                value={option.title}
                onChange={(event) => set(option.id, { title: event.currentTarget.value })}
              />
            </Field>
            <Field
              label={t('publish.settings.shippingPrice', { currency })}
              error={wrongPrice === option.title ? t('publish.products.priceWrong') : undefined}
              className="w-36"
            >
              <Input
                required
                inputMode="decimal"
                value={option.price}
                onChange={(event) => set(option.id, { price: event.currentTarget.value })}
              />
            </Field>
            <Field
              label={t('publish.settings.shippingCountries')}
              hint={t('publish.settings.shippingCountriesHint')}
              className="flex-1 basis-44"
            >
              <Input
                value={option.countries}
                onChange={(event) => set(option.id, { countries: event.currentTarget.value })}
              />
            </Field>
            <Remove
              name={option.title}
              onRemove={() => change({ shipping: shipping.filter(({ id }) => id !== option.id) })}
            />
          </div>
        ))}
        <Button onClick={add} className="self-start">
          <Plus aria-hidden />
          {t('publish.settings.addShipping')}
        </Button>
      </div>
    </Card>
  )
}

export function TaxFields({ value, change }: PartProps) {
  const { rates } = value
  const set = (id: string, part: Partial<RateDraft>) =>
    change({ rates: rates.map((one) => (one.id === id ? { ...one, ...part } : one)) })
  const add = () =>
    change({ rates: [...rates, { id: newRowId(), name: '', percent: '', country: '' }] })
  return (
    <Card>
      <CardHeading title={t('publish.settings.tax')} hint={t('publish.settings.taxHint')} />
      <div className="flex flex-col gap-4">
        {rates.map((rate) => (
          <div key={rate.id} className="flex flex-wrap items-start gap-4">
            <Field label={t('publish.settings.taxName')} className="flex-1 basis-40">
              <Input
                required
                value={rate.name}
                onChange={(event) => set(rate.id, { name: event.currentTarget.value })}
              />
            </Field>
            <Field label={t('publish.settings.taxPercent')} className="w-28">
              <Input
                required
                inputMode="decimal"
                pattern="\d{1,3}([.,]\d+)?"
                value={rate.percent}
                onChange={(event) => set(rate.id, { percent: event.currentTarget.value })}
              />
            </Field>
            <Field
              label={t('publish.settings.taxCountry')}
              hint={t('publish.settings.taxCountryHint')}
              className="w-36"
            >
              <Input
                maxLength={2}
                pattern="[A-Za-z]{2}"
                value={rate.country}
                onChange={(event) => set(rate.id, { country: event.currentTarget.value })}
              />
            </Field>
            <Remove
              name={rate.name}
              onRemove={() => change({ rates: rates.filter(({ id }) => id !== rate.id) })}
            />
          </div>
        ))}
        <Button onClick={add} className="self-start">
          <Plus aria-hidden />
          {t('publish.settings.addTax')}
        </Button>
        <Switch
          checked={value.pricesIncludeTax}
          onChange={(pricesIncludeTax) => change({ pricesIncludeTax })}
          label={t('publish.settings.pricesIncludeTax')}
        />
        <Switch
          checked={value.shippingTaxed}
          onChange={(shippingTaxed) => change({ shippingTaxed })}
          label={t('publish.settings.shippingTaxed')}
        />
      </div>
    </Card>
  )
}

export function Remove({
  name,
  onRemove,
}: {
  readonly name: string
  readonly onRemove: () => void
}) {
  return (
    <Button
      look="quiet"
      size="icon"
      className="mt-6"
      aria-label={t('publish.settings.remove', { name })}
      onClick={onRemove}
    >
      <Trash2 aria-hidden />
    </Button>
  )
}

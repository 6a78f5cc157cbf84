import { newRowId } from '#components/new-row-id.ts'
import { isCurrency } from '#texts/money.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Plus } from '#ui/icons.ts'
import { Select } from '#ui/select.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { Remove, type PartProps, type PricedPartProps } from './checkout-fields.tsx'
import type { CodeDraft, PickupDraft } from './selling-draft.ts'

export function DiscountFields({ value, change, wrongPrice }: PricedPartProps) {
  const { codes } = value
  const currency = isCurrency(value.currency) ? value.currency : '…'
  const set = (id: string, part: Partial<CodeDraft>) =>
    change({ codes: codes.map((one) => (one.id === id ? { ...one, ...part } : one)) })
  const add = () => {
    const blank = { code: '', name: '', kind: 'percent', off: '', minimum: '' } as const
    const days = { firstDay: '', lastDay: '' }
    change({ codes: [...codes, { id: newRowId(), ...blank, ...days }] })
  }
  return (
    <Card>
      <CardHeading title={t('publish.settings.codes')} hint={t('publish.settings.codesHint')} />
      <div className="flex flex-col gap-4">
        {codes.map((row) => {
          const isWrong = wrongPrice === row.code
          const text = (name: Exclude<keyof CodeDraft, 'id' | 'stored' | 'kind'>) => ({
            value: row[name],
            onChange: (event: { currentTarget: HTMLInputElement }) =>
              set(row.id, { [name]: event.currentTarget.value }),
          })
          return (
            <div key={row.id} className="flex flex-wrap items-start gap-4">
              <Field label={t('publish.settings.code')} className="w-36">
                <Input required maxLength={50} {...text('code')} />
              </Field>
              <Field label={t('publish.settings.codeName')} className="flex-1 basis-40">
                <Input required {...text('name')} />
              </Field>
              <Field label={t('publish.settings.codeKind')} className="w-36">
                <Select
                  choices={[
                    { value: 'percent', label: t('publish.settings.codePercent') },
                    { value: 'amount', label: t('publish.settings.codeAmount', { currency }) },
                  ]}
                  value={row.kind}
                  onChange={(kind) => set(row.id, { kind })}
                />
              </Field>
              <Field
                label={t('publish.settings.codeOff')}
                error={isWrong ? t('publish.products.priceWrong') : undefined}
                className="w-28"
              >
                <Input required inputMode="decimal" pattern="\d+([.,]\d+)?" {...text('off')} />
              </Field>
              <Field
                label={t('publish.settings.codeMinimum', { currency })}
                error={isWrong ? t('publish.products.priceWrong') : undefined}
                className="w-36"
              >
                <Input inputMode="decimal" {...text('minimum')} />
              </Field>
              <div className="flex flex-wrap items-start gap-4">
                <Field label={t('publish.settings.codeFirstDay')} className="w-36">
                  <Input type="date" max={row.lastDay} {...text('firstDay')} />
                </Field>
                <Field label={t('publish.settings.codeLastDay')} className="w-36">
                  <Input type="date" min={row.firstDay} {...text('lastDay')} />
                </Field>
                <Remove
                  name={row.code}
                  onRemove={() => change({ codes: codes.filter(({ id }) => id !== row.id) })}
                />
              </div>
            </div>
          )
        })}
        <Button onClick={add} className="self-start">
          <Plus aria-hidden />
          {t('publish.settings.addCode')}
        </Button>
      </div>
    </Card>
  )
}

const places = [
  { name: 'title', label: t('publish.settings.pickupTitle'), width: 'flex-1 basis-40' },
  { name: 'street', label: t('publish.settings.pickupStreet'), width: 'flex-1 basis-44' },
  { name: 'postalCode', label: t('publish.settings.pickupPostalCode'), width: 'w-28' },
  { name: 'city', label: t('publish.settings.pickupCity'), width: 'w-40' },
  { name: 'country', label: t('publish.settings.pickupCountry'), width: 'w-24' },
  { name: 'instructions', label: t('publish.settings.pickupNote'), width: 'flex-1 basis-44' },
] as const

export function PickupFields({ value, change }: PartProps) {
  const { pickups } = value
  const set = (id: string, part: Partial<PickupDraft>) =>
    change({ pickups: pickups.map((one) => (one.id === id ? { ...one, ...part } : one)) })
  const add = () => {
    const blank = { title: '', street: '', postalCode: '', city: '', country: '', instructions: '' }
    change({ pickups: [...pickups, { id: newRowId(), ...blank }] })
  }
  return (
    <Card>
      <CardHeading title={t('publish.settings.pickups')} hint={t('publish.settings.pickupsHint')} />
      <div className="flex flex-col gap-4">
        {pickups.map((row) => (
          <div key={row.id} className="flex flex-wrap items-start gap-4">
            {places.map(({ name, label, width }) => (
              <Field key={name} label={label} className={width}>
                <Input
                  required={name !== 'postalCode' && name !== 'instructions'}
                  {...(name === 'country' ? { maxLength: 2, pattern: '[A-Za-z]{2}' } : {})}
                  value={row[name]}
                  onChange={(event) => set(row.id, { [name]: event.currentTarget.value })}
                />
              </Field>
            ))}
            <Remove
              name={row.title}
              onRemove={() => change({ pickups: pickups.filter(({ id }) => id !== row.id) })}
            />
          </div>
        ))}
        <Button onClick={add} className="self-start">
          <Plus aria-hidden />
          {t('publish.settings.addPickup')}
        </Button>
      </div>
    </Card>
  )
}

import { useState, type FormEvent } from 'react'
import { useOperation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { ErrorText } from '#components/error-text.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { useLeaveWarning } from '#components/use-leave-warning.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Card, CardHeading, Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { checkoutFieldsOf, type CheckoutSettings } from './checkout-draft.ts'
import { ShippingFields, TaxFields } from './checkout-fields.tsx'
import { DiscountFields, PickupFields } from './selling-fields.tsx'
import { TestModeNotice } from './test-mode-notice.tsx'
import { useCheckoutDraft } from './use-checkout-draft.ts'

/** /agents/{appId}/publish/catalog/checkout */
export function CheckoutPage() {
  const agent = useAgent()
  const settings = useOperation('get_commerce_settings', { app_id: agent.id })
  if (settings.error !== null)
    return <ErrorState error={settings.error} onRetry={settings.refetch} />
  if (settings.data === undefined) return <LoadingRows />
  return (
    <div className="flex flex-col gap-6">
      <TestModeNotice />
      <CheckoutForm settings={settings.data} />
    </div>
  )
}

function CheckoutForm({ settings }: { readonly settings: CheckoutSettings }) {
  const isEditor = useMay('editor')
  const form = useCheckoutDraft(settings, () => notify({ title: t('publish.settings.saved') }))
  const { value, change, isChanged, isOutdated, isSaving } = form
  const [wrongPrice, setWrongPrice] = useState<string | null>(null)
  useLeaveWarning(isChanged && !isSaving)
  function submit(event: FormEvent): void {
    event.preventDefault()
    const read = checkoutFieldsOf(value, settings)
    setWrongPrice('wrongPrice' in read ? read.wrongPrice : null)
    if ('fields' in read) form.save(read.fields)
  }
  return (
    <form onSubmit={submit}>
      <fieldset disabled={!isEditor} className="flex flex-col gap-6">
        <Card>
          <Field
            label={t('publish.settings.currency')}
            hint={t('publish.settings.currencyHint')}
            className="max-w-48"
          >
            <Input
              required
              pattern="[A-Za-z]{3}"
              maxLength={3}
              value={value.currency}
              onChange={(event) => change({ currency: event.currentTarget.value.toUpperCase() })}
            />
          </Field>
        </Card>
        <ShippingFields value={value} change={change} wrongPrice={wrongPrice} />
        <PickupFields value={value} change={change} />
        <TaxFields value={value} change={change} />
        <DiscountFields value={value} change={change} wrongPrice={wrongPrice} />
        <Card>
          <CardHeading title={t('publish.settings.links')} hint={t('publish.settings.linksHint')} />
          <div className="grid gap-5">
            {(['terms', 'privacy', 'returns'] as const).map((name) => (
              <Field key={name} label={t(`publish.settings.${name}`)}>
                <Input
                  type="url"
                  value={value[name]}
                  onChange={(event) => change({ [name]: event.currentTarget.value })}
                />
              </Field>
            ))}
          </div>
        </Card>
        <p className="text-sm text-soft">{t('publish.settings.more')}</p>
        {isOutdated && <Outdated onLoad={form.clear} onKeep={form.keep} />}
        {form.error !== null && (
          <Notice tone="bad">
            <ErrorText error={form.error} />
          </Notice>
        )}
        {isEditor && (
          <div className="flex items-center justify-end gap-3">
            {isChanged && (
              <span className="text-sm text-soft">{t('publish.settings.unsaved')}</span>
            )}
            <Button
              look="primary"
              type="submit"
              busy={isSaving}
              disabled={!isChanged || isOutdated}
            >
              {t('common.save')}
            </Button>
          </div>
        )}
      </fieldset>
    </form>
  )
}

interface OutdatedProps {
  onLoad(): void
  onKeep(): void
}

function Outdated({ onLoad, onKeep }: OutdatedProps) {
  return (
    <Notice tone="warn" title={t('publish.settings.outdated')}>
      <p>{t('publish.settings.outdatedHint')}</p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button size="small" onClick={onLoad}>
          {t('publish.settings.load')}
        </Button>
        <Button size="small" onClick={onKeep}>
          {t('publish.settings.keep')}
        </Button>
      </div>
    </Notice>
  )
}

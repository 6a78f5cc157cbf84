import { useOperationMutation } from '#api/use-operation.ts'
import { useDraft, type Draft } from '#components/use-draft.ts'
import { checkoutDraftOf, type CheckoutDraft, type CheckoutSettings } from './checkout-draft.ts'

type Fields = Parameters<ReturnType<typeof useSaving>['mutate']>[0]

export interface CheckoutForm extends Pick<Draft<CheckoutDraft>, 'value' | 'isChanged' | 'clear'> {
  change(part: Partial<CheckoutDraft>): void
  /** Whether someone changed the settings since the draft began. It cannot be saved then. */
  readonly isOutdated: boolean
  /** Lets the draft replace the settings as they are now. */
  keep(): void
  /** Saves if nobody changed the settings meanwhile. */
  save(fields: Fields): void
  readonly isSaving: boolean
  readonly error: ReturnType<typeof useSaving>['error']
}

/**
 * The form's draft. It replaces whole lists, so it remembers the settings that it began with: a draft
 * can be days old, and another editor may have changed a list since.
 */
export function useCheckoutDraft(settings: CheckoutSettings, onSaved: () => void): CheckoutForm {
  const { app_id } = settings
  const present = JSON.stringify(settings)
  const draft = useDraft(`checkout settings ${app_id}`, {
    ...checkoutDraftOf(settings),
    basis: present,
  })
  const { value, isChanged, clear } = draft
  const saving = useSaving(() => {
    clear()
    onSaved()
  })
  // The page may have read the settings long ago.
  const reading = useOperationMutation('get_commerce_settings', {
    refreshes: ['get_commerce_settings'],
  })
  const isSaving = reading.isPending || saving.isPending
  return {
    value,
    isChanged,
    clear,
    change: (part) => draft.change({ basis: value.basis, ...part }),
    isOutdated: value.basis !== present && !isSaving,
    keep: () => draft.change({ basis: present }),
    save: (fields) =>
      reading.mutate(
        { app_id },
        {
          onSuccess(latest) {
            if (JSON.stringify(latest) === value.basis) saving.mutate(fields)
          },
        },
      ),
    isSaving,
    error: reading.error ?? saving.error,
  }
}

function useSaving(onSuccess: () => void) {
  return useOperationMutation('update_commerce_settings', {
    refreshes: ['get_commerce_settings'],
    onSuccess,
  })
}

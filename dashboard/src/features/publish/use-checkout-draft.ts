import { useQueryClient } from '@tanstack/react-query'
import { refresh } from '#api/operation-keys.ts'
import type { OperationError } from '#api/operation-error.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useDraft, type Draft } from '#components/use-draft.ts'
import {
  checkoutDraftOf,
  type CheckoutDraft,
  type CheckoutFields,
  type CheckoutSettings,
} from './checkout-draft.ts'

export interface CheckoutForm extends Pick<Draft<CheckoutDraft>, 'value' | 'isChanged' | 'clear'> {
  change(part: Partial<CheckoutDraft>): void
  /** Whether someone changed the settings since the draft began. It cannot be saved then. */
  readonly isOutdated: boolean
  /** Lets the draft replace the settings as they are now. */
  keep(): void
  /** Saves if nobody changed the settings meanwhile. */
  save(fields: CheckoutFields): void
  readonly isSaving: boolean
  readonly error: OperationError | null
}

/**
 * The form's draft. It replaces whole lists, so it remembers the settings that it began with: a draft
 * can be days old, and another editor may have changed a list since.
 */
export function useCheckoutDraft(settings: CheckoutSettings, onSaved: () => void): CheckoutForm {
  const { app_id, revision } = settings
  const client = useQueryClient()
  const draft = useDraft(`checkout settings ${app_id}`, {
    ...checkoutDraftOf(settings),
    basis: revision,
  })
  const { value, isChanged, clear } = draft
  const saving = useOperationMutation('update_commerce_settings', {
    refreshes: ['get_commerce_settings'],
    onSuccess() {
      clear()
      onSaved()
    },
  })
  const isConflict = saving.error?.code === 'commerce_settings_changed'
  return {
    value,
    isChanged,
    clear,
    change: (part) => draft.change({ basis: value.basis, ...part }),
    isOutdated: value.basis !== revision && !saving.isPending,
    keep: () => draft.change({ basis: revision }),
    save: (fields) =>
      saving.mutate(
        { ...fields, app_id, expected_revision: value.basis },
        // After a conflict, the page shows that the draft is outdated.
        { onError: () => void refresh(client, ['get_commerce_settings']) },
      ),
    isSaving: saving.isPending,
    error: isConflict ? null : saving.error,
  }
}

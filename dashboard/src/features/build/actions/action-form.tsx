import type { OperationError } from '#api/operation-error.ts'
import { ErrorText } from '#components/error-text.tsx'
import { useLeaveWarning } from '#components/use-leave-warning.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { ActionFields } from './action-fields.tsx'
import type { definitionOf } from './action-draft.ts'
import type { ActionForm } from './use-action-form.ts'

export interface ActionFormProps {
  readonly form: ActionForm
  /** The label of the save button. */
  readonly save: string
  readonly isSaving: boolean
  /** Whether leaving with unsaved changes asks first. */
  readonly warns: boolean
  readonly error: OperationError | null
  onSave(definition: ReturnType<typeof definitionOf>): void
}

/** The form of an action, new or saved. */
export function ActionFormView(props: ActionFormProps) {
  const { form, isSaving, warns, error, onSave } = props
  useLeaveWarning(warns && form.isChanged && !isSaving)
  return (
    <form
      aria-label={t('build.actions.form')}
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        const definition = form.definition()
        if (definition !== null) onSave(definition)
      }}
    >
      <ActionFields form={form} error={error} />
      {form.isChanged && <SaveBar {...props} />}
    </form>
  )
}

function SaveBar({ form, save, isSaving, error }: ActionFormProps) {
  return (
    <div className="sticky bottom-3 z-20 flex flex-col gap-3 rounded-2xl border border-line bg-raised p-3 shadow-raised">
      {error !== null && (
        <Notice tone="bad" title={<ErrorText error={error} />}>
          {error.issues.length > 0 && (
            <ul className="list-disc pl-4 break-words">
              {error.issues.map((issue) => (
                <li key={issue}>{issue}</li>
              ))}
            </ul>
          )}
        </Notice>
      )}
      {form.problem !== null && <Notice tone="bad">{form.problem}</Notice>}
      <div className="flex items-center justify-between gap-3">
        <p className="pl-2 text-sm text-soft">{t('build.saving.unsaved')}</p>
        <Button look="primary" type="submit" busy={isSaving}>
          {save}
        </Button>
      </div>
    </div>
  )
}

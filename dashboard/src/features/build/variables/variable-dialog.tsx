import { ErrorText } from '#components/error-text.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { SecretHostsField } from './secret-hosts-field.tsx'
import { useVariableForm, variableTypes, type VariableForm } from './use-variable-form.ts'
import type { Variable } from './variable-key.ts'

export interface VariableDialogProps {
  /** The name of a new variable; empty to let the user choose it. */
  readonly name: string
  /** Null to create one. */
  readonly variable: Variable | null
  onClose(): void
}

/** Creates or changes a variable. */
export function VariableDialog({ name, variable, onClose }: VariableDialogProps) {
  const form = useVariableForm(name, variable, onClose)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        variable === null
          ? t('build.variables.addTitle')
          : t('build.variables.editTitle', { name: variable.name })
      }
      closeLabel={t('common.close')}
    >
      <form onSubmit={form.submit} className="flex flex-col gap-5">
        {variable === null && (
          <Field
            label={t('build.variables.name')}
            hint={t('build.variables.nameHint')}
            error={form.error?.issueOf('name')}
          >
            <Input
              required
              pattern="[A-Z][A-Z0-9_]*"
              maxLength={120}
              placeholder="SHOP_TOKEN"
              className="font-mono text-[0.8125rem]"
              value={form.name}
              onChange={(event) => form.change({ name: event.currentTarget.value.toUpperCase() })}
            />
          </Field>
        )}
        <Field label={t('build.variables.type')}>
          <Select
            choices={variableTypes.map((one) => ({
              value: one,
              label: t(`build.variables.types.${one}`),
            }))}
            value={form.type}
            onChange={(type) => form.change({ type, value: type === 'boolean' ? 'false' : '' })}
          />
        </Field>
        <Value form={form} />
        {form.isSecret && <SecretHostsField form={form} />}
        <Field label={`${t('build.variables.about')} (${t('common.optional')})`}>
          <Input
            maxLength={2000}
            value={form.description}
            onChange={(event) => form.change({ description: event.currentTarget.value })}
          />
        </Field>
        {form.error !== null && (
          <Notice tone="bad">
            <ErrorText error={form.error} />
          </Notice>
        )}
        <DialogActions>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" busy={form.isSaving}>
            {t('common.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function Value({ form }: { readonly form: VariableForm }) {
  if (form.type === 'boolean')
    return (
      <Field label={t('build.variables.value')}>
        <Select
          choices={[
            { value: 'true', label: t('common.yes') },
            { value: 'false', label: t('common.no') },
          ]}
          value={form.value}
          onChange={(value) => form.change({ value })}
        />
      </Field>
    )
  const isKept = form.hasStored && !form.hasMoreHosts
  const secretHint = isKept
    ? t('build.variables.secretKept')
    : form.hasStored
      ? t('build.variables.secretAgain')
      : t('build.variables.secretHint')
  return (
    <Field
      label={t('build.variables.value')}
      {...(form.isSecret ? { hint: secretHint } : {})}
      error={form.problem ?? form.error?.issueOf('value')}
    >
      <Input
        type={form.isSecret ? 'password' : form.type === 'url' ? 'url' : 'text'}
        {...(form.isSecret ? { autoComplete: 'new-password' } : {})}
        required={!isKept}
        maxLength={8000}
        value={form.value}
        onChange={(event) => form.change({ value: event.currentTarget.value })}
      />
    </Field>
  )
}

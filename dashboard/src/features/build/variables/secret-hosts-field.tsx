import { useMay } from '#api/workspace.ts'
import { t } from '#texts/t.ts'
import { Checkbox } from '#ui/checkbox.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'
import type { VariableForm } from './use-variable-form.ts'

/** The hosts that may receive a secret. Only an owner can choose any host. */
export function SecretHostsField({ form }: { readonly form: VariableForm }) {
  const isOwner = useMay('owner')
  return (
    <div className="flex flex-col gap-3">
      {!form.isForAny && (
        <Field label={t('build.variables.hosts')} hint={t('build.variables.hostsHint')}>
          <Input
            required
            placeholder="api.example.com"
            value={form.hosts}
            onChange={(event) => form.change({ hosts: event.currentTarget.value })}
          />
        </Field>
      )}
      {(isOwner || form.wasForAny) && (
        <Checkbox
          checked={form.isForAny}
          onChange={(isForAny) => form.change({ isForAny })}
          label={t('build.variables.anyHost')}
          hint={t('build.variables.anyHostHint')}
        />
      )}
      {form.isForAny && <Notice tone="warn">{t('build.variables.anyHostWarning')}</Notice>}
    </div>
  )
}

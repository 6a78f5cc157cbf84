import type { InputOf } from '#api/call-operation.ts'
import { t } from '#texts/t.ts'
import { Checkbox } from '#ui/checkbox.tsx'
import { RadioGroup } from '#ui/radio-group.tsx'

export type Scope = NonNullable<InputOf<'create_developer_key'>['scopes']>[number]

const named = [
  'apps:read',
  'apps:write',
  'knowledge:read',
  'knowledge:write',
  'actions:read',
  'actions:write',
  'analytics:read',
  'workspace:read',
  'workspace:write',
  'billing:read',
] as const satisfies readonly Scope[]

export interface ScopeFieldProps {
  readonly value: readonly Scope[]
  onChange(scopes: readonly Scope[]): void
}

/** Full access, or selected scopes. */
export function ScopeField({ value, onChange }: ScopeFieldProps) {
  const isFull = value.includes('*')
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 text-sm font-medium">{t('settings.developer.scopes')}</legend>
      <RadioGroup
        label={t('settings.developer.scopes')}
        value={isFull ? 'full' : 'some'}
        choices={[
          {
            value: 'full',
            label: t('settings.developer.scopesFull'),
            hint: t('settings.developer.scopesFullHint'),
          },
          { value: 'some', label: t('settings.developer.scopesSome') },
        ]}
        onChange={(choice) => onChange(choice === 'full' ? ['*'] : [])}
      />
      {!isFull && (
        <div className="grid gap-2.5 pl-7 sm:grid-cols-2">
          {named.map((scope) => (
            <Checkbox
              key={scope}
              checked={value.includes(scope)}
              onChange={(checked) =>
                onChange(checked ? [...value, scope] : value.filter((one) => one !== scope))
              }
              label={<span className="font-mono text-[0.8125rem]">{scope}</span>}
              hint={t(`settings.developer.scopeHints.${scope}`)}
            />
          ))}
          {value.length === 0 && (
            <p className="text-[0.8125rem] text-soft sm:col-span-2">
              {t('settings.developer.scopesNone')}
            </p>
          )}
        </div>
      )}
    </fieldset>
  )
}

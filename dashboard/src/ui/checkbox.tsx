import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox'
import { Check } from '#ui/icons.ts'
import type { ReactNode } from 'react'

export interface CheckboxProps {
  readonly checked: boolean
  onChange(checked: boolean): void
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly disabled?: boolean
}

export function Checkbox({ checked, onChange, label, hint, disabled = false }: CheckboxProps) {
  return (
    <label className="flex items-start gap-2.5 text-sm">
      <BaseCheckbox.Root
        checked={checked}
        onCheckedChange={(next) => onChange(next)}
        disabled={disabled}
        className="mt-0.5 flex size-4.5 shrink-0 items-center justify-center rounded border border-field-line bg-card data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50"
      >
        <BaseCheckbox.Indicator className="text-on-accent">
          <Check className="size-3.5" strokeWidth={3} aria-hidden />
        </BaseCheckbox.Indicator>
      </BaseCheckbox.Root>
      <span className="min-w-0">
        <span>{label}</span>
        {hint !== undefined && <span className="block text-[0.8125rem] text-soft">{hint}</span>}
      </span>
    </label>
  )
}

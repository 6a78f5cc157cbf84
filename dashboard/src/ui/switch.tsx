import { Switch as BaseSwitch } from '@base-ui/react/switch'
import type { ReactNode } from 'react'

export interface SwitchProps {
  readonly checked: boolean
  onChange(checked: boolean): void
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly disabled?: boolean
}

/** An on/off switch with its label. */
export function Switch({ checked, onChange, label, hint, disabled = false }: SwitchProps) {
  return (
    <label className="flex items-start gap-3 text-sm">
      <BaseSwitch.Root
        checked={checked}
        onCheckedChange={(next) => onChange(next)}
        disabled={disabled}
        className="mt-0.5 flex h-5 w-9 shrink-0 rounded-full border border-field-line bg-quiet p-0.5 transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50"
      >
        <BaseSwitch.Thumb className="size-3.5 rounded-full bg-field-line transition-transform data-checked:translate-x-4 data-checked:bg-on-accent" />
      </BaseSwitch.Root>
      <span className="min-w-0">
        <span className="font-medium">{label}</span>
        {hint !== undefined && <span className="block text-[0.8125rem] text-soft">{hint}</span>}
      </span>
    </label>
  )
}

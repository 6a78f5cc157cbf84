import { Radio } from '@base-ui/react/radio'
import { RadioGroup as BaseRadioGroup } from '@base-ui/react/radio-group'
import type { ReactNode } from 'react'

export interface RadioGroupProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly choices: readonly {
    readonly value: Value
    readonly label: ReactNode
    readonly hint?: ReactNode
  }[]
  onChange(value: Value): void
}

/** A choice of one among a few that are all visible. */
export function RadioGroup<Value extends string>(props: RadioGroupProps<Value>) {
  const { label, value, choices, onChange } = props
  return (
    <BaseRadioGroup
      aria-label={label}
      value={value}
      onValueChange={onChange}
      className="flex flex-col gap-2.5"
    >
      {choices.map((choice) => (
        <label key={choice.value} className="flex items-start gap-2.5 text-sm">
          <Radio.Root
            value={choice.value}
            className="mt-0.5 flex size-4.5 shrink-0 items-center justify-center rounded-full border border-field-line bg-card data-checked:border-accent"
          >
            <Radio.Indicator className="size-2.5 rounded-full bg-accent" />
          </Radio.Root>
          <span className="min-w-0">
            <span>{choice.label}</span>
            {choice.hint !== undefined && (
              <span className="block text-[0.8125rem] text-soft">{choice.hint}</span>
            )}
          </span>
        </label>
      ))}
    </BaseRadioGroup>
  )
}

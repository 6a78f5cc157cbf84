import { classNames } from './class-names.ts'
import { controlStyle } from './field.tsx'

interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly hint?: string
}

export interface SelectProps<Value extends string> {
  readonly choices: readonly Choice<Value>[]
  readonly value: Value
  onChange(value: Value): void
  /** Called at the end of the choices if there are more. */
  readonly onEnd?: (() => void) | undefined
  /** Names the select if no `<Field>` does. */
  readonly label?: string
  readonly disabled?: boolean
  readonly className?: string
}

export const selectStyle = classNames(
  controlStyle,
  'flex h-9 items-center justify-between gap-2 text-left',
)

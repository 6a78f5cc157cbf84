import { useState, type FormEvent } from 'react'
import { Field, Input } from '#ui/field.tsx'

export interface TypedFilterProps {
  readonly label: string
  readonly placeholder?: string
  readonly value: string
  onChange(value: string): void
}

/**
 * A text filter, applied on Enter or when the field loses focus. Pass its value as `key` too, so that
 * a changed URL resets it.
 */
export function TypedFilter({ label, placeholder, value, onChange }: TypedFilterProps) {
  const [typed, setTyped] = useState(value)
  function submit(event?: FormEvent): void {
    event?.preventDefault()
    if (typed.trim() !== value) onChange(typed.trim())
  }
  return (
    <form onSubmit={submit}>
      <Field label={label}>
        <Input
          value={typed}
          maxLength={500}
          {...(placeholder === undefined ? {} : { placeholder })}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onBlur={() => submit()}
        />
      </Field>
    </form>
  )
}

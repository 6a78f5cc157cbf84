import { useEffect, useState, type FormEvent } from 'react'
import { Field, Input } from '#ui/field.tsx'

export interface TypedFilterProps {
  readonly label: string
  readonly placeholder?: string
  readonly value: string
  /** Applies the text while it is typed, once the typing pauses. */
  readonly asTyped?: boolean
  onChange(value: string): void
}

/** The pause after which a text that is being typed is applied. */
const pauseMs = 250

/**
 * A text filter, applied on Enter, when the field loses focus, or while it is typed. It follows `value`
 * when that changes for another reason, such as a changed URL.
 */
export function TypedFilter(props: TypedFilterProps) {
  const { label, placeholder, value, asTyped = false, onChange } = props
  const [typed, setTyped] = useState(value)
  const [applied, setApplied] = useState(value)
  const [seen, setSeen] = useState(value)
  if (value !== seen) {
    setSeen(value)
    // The field's own text comes back while more is typed.
    if (value !== applied) {
      setTyped(value)
      setApplied(value)
    }
  }
  function apply(): void {
    const next = typed.trim()
    if (next === applied) return
    setApplied(next)
    onChange(next)
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    apply()
  }
  useEffect(() => {
    if (!asTyped) return undefined
    const timer = setTimeout(apply, pauseMs)
    return () => clearTimeout(timer)
  })
  return (
    <form onSubmit={submit}>
      <Field label={label}>
        <Input
          value={typed}
          maxLength={500}
          {...(placeholder === undefined ? {} : { placeholder })}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onBlur={apply}
        />
      </Field>
    </form>
  )
}

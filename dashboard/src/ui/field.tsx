import { Field as BaseField } from '@base-ui/react/field'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'

export interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** Replaces the hint and is announced. */
  readonly error?: ReactNode
  /** The name of the input, for the browser's autofill and for tests. */
  readonly name?: string
  readonly className?: string
  /** The control: `<Input>`, `<TextArea>`, `<Select>`. */
  readonly children: ReactNode
}

/** A control with its label, hint and error, tied together for screen readers. */
export function Field({ label, hint, error, name, className, children }: FieldProps) {
  return (
    <BaseField.Root
      {...(name === undefined ? {} : { name })}
      invalid={error !== undefined}
      className={classNames('flex min-w-0 flex-col gap-1.5', className)}
    >
      <BaseField.Label className="text-sm font-medium text-ink">{label}</BaseField.Label>
      {children}
      {error !== undefined && (
        <BaseField.Error match className="text-[0.8125rem] text-bad" role="alert">
          {error}
        </BaseField.Error>
      )}
      {hint !== undefined && (
        <BaseField.Description className="text-[0.8125rem] text-soft">{hint}</BaseField.Description>
      )}
    </BaseField.Root>
  )
}

export const controlStyle =
  'w-full min-w-0 rounded-lg border border-field-line/60 bg-card px-3 text-sm text-ink shadow-xs placeholder:text-soft/80 hover:border-field-line focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-accent disabled:opacity-60 aria-invalid:border-bad data-invalid:border-bad'

export function Input({ className, ...rest }: ComponentProps<typeof BaseField.Control>) {
  return (
    <BaseField.Control
      autoComplete="off"
      dir="auto"
      {...rest}
      className={classNames(controlStyle, 'h-9', typeof className === 'string' && className)}
    />
  )
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return (
    <BaseField.Control
      render={<textarea rows={4} dir="auto" {...rest} />}
      className={classNames(controlStyle, 'field-sizing-content min-h-20 py-2', className)}
    />
  )
}

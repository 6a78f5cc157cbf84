import { Field, TextArea } from '#ui/field.tsx'

interface LinesProps {
  readonly label: string
  readonly hint: string
  readonly className?: string
  readonly value: readonly string[]
  change(lines: string[]): void
  /** Rewrites an entry when the field is left. */
  tidy?(line: string): string
}

/** A list with an entry on each line. An empty line stays until the field is left. */
export function LinesField({
  label,
  hint,
  className = '',
  value,
  change,
  tidy = (line) => line.trim(),
}: LinesProps) {
  return (
    <Field label={label} hint={hint} className={className}>
      <TextArea
        value={value.join('\n')}
        onChange={(event) => {
          const text = event.currentTarget.value
          change(text === '' ? [] : text.split('\n'))
        }}
        onBlur={() => change(value.map((line) => tidy(line)).filter((line) => line !== ''))}
      />
    </Field>
  )
}

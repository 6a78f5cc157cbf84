import type { z } from 'zod'

/**
 * Shows a record under the names of the wire: exactly the fields of `schema`, `created_at` taken from
 * `createdAt`, and `app_id` from `agentId`, because the wire calls an agent an app.
 */
export function showAs<Schema extends z.ZodObject>(
  schema: Schema,
): (record: RecordFor<Schema>) => z.input<Schema> {
  const fields = Object.keys(schema.shape).map((name) => [name, fieldFor(name)] as const)
  return (record) => {
    const values: Readonly<Record<string, unknown>> = record
    const shown = Object.fromEntries(fields.map(([name, field]) => [name, values[field]]))
    // RecordFor requires a field of the right type for each name; wire values are never mutated.
    return shown as z.input<Schema>
  }
}

function fieldFor(name: string): string {
  if (name === 'app_id') return 'agentId'
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name
type FieldFor<Name extends string> = Name extends 'app_id' ? 'agentId' : CamelCase<Name>

type RecordFor<Schema extends z.ZodObject> = {
  readonly [Name in keyof z.input<Schema> & string as FieldFor<Name>]: DeepReadonly<
    z.input<Schema>[Name]
  >
}

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value

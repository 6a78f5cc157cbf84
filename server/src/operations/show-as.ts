import type { z } from 'zod'
import { camelCase, type CamelCase } from '#kernel/key-case.ts'

/** Fields that the wire names otherwise than the code does. */
const ownNames = { app_id: 'agentId', face: 'surface' } as const
const ownNameOf = new Map<string, string>(Object.entries(ownNames))

/**
 * Returns a function that shows a record under the names of the wire: exactly the fields of `schema`,
 * with `created_at` read from `createdAt` and `app_id` from `agentId`.
 */
export function showAs<Schema extends z.ZodObject>(
  schema: Schema,
): (record: RecordFor<Schema>) => z.input<Schema> {
  const fields = Object.keys(schema.shape).map(
    (name) => [name, ownNameOf.get(name) ?? camelCase(name)] as const,
  )
  return (record) => {
    const values: Readonly<Record<string, unknown>> = record
    const shown = Object.fromEntries(fields.map(([name, field]) => [name, values[field]]))
    // RecordFor requires a field of the right type for each name. Wire values are never mutated.
    return shown as z.input<Schema>
  }
}

type FieldFor<Name extends string> = Name extends keyof typeof ownNames
  ? (typeof ownNames)[Name]
  : CamelCase<Name>

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

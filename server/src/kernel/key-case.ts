/** `created_at` as `createdAt`. */
export type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key

/** `createdAt` as `created_at`. */
type SnakeCase<Key extends string> = Key extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : Key

export type CamelKeys<Row> = { readonly [Key in keyof Row & string as CamelCase<Key>]: Row[Key] }
export type SnakeKeys<Value> = {
  readonly [Key in keyof Value & string as SnakeCase<Key>]: Value[Key]
}

/**
 * The same record with its own keys in camel case; nested records stay as they are. Code uses camel
 * case, columns of the database and fields on the wire use snake case.
 *
 * @example camelKeys({ id: 'a', created_at: 1 }) // { id: 'a', createdAt: 1 }
 */
export function camelKeys<Row extends object>(row: Row): CamelKeys<Row> {
  // CamelCase renames keys as `camelCase` does.
  return withKeys(row, camelCase) as CamelKeys<Row>
}

export function camelCase(key: string): string {
  return key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * The same record with its own keys in snake case; nested records stay as they are.
 *
 * @example snakeKeys({ id: 'a', createdAt: 1 }) // { id: 'a', created_at: 1 }
 */
export function snakeKeys<Value extends object>(value: Value): SnakeKeys<Value> {
  const rename = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  // The types above rename the keys in the same way as `rename`.
  return withKeys(value, rename) as SnakeKeys<Value>
}

function withKeys(record: object, rename: (key: string) => string): object {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [rename(key), value]))
}

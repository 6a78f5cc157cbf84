import type { Operations } from './generated-operations.ts'
import { sendJson } from './send.ts'

export type OperationName = keyof Operations
export type InputOf<Name extends OperationName> = Operations[Name]['input']
export type OutputOf<Name extends OperationName> = Operations[Name]['output']

/** The names of the operations that return `{items, next_cursor}`. */
export type ListName = {
  [Name in OperationName]: OutputOf<Name> extends {
    readonly items: readonly unknown[]
    readonly next_cursor: string | null
  }
    ? Name
    : never
}[OperationName]

export type ItemOf<Name extends ListName> =
  OutputOf<Name> extends { readonly items: readonly (infer Item)[] } ? Item : never

/**
 * Calls a management operation as the signed-in user.
 *
 * @throws OperationError
 */
export async function callOperation<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  signal?: AbortSignal,
): Promise<OutputOf<Name>> {
  const response = await sendJson(`/operations/${name}`, input, signal)
  // The service validates it against the schema that the type is generated from.
  return (await response.json()) as OutputOf<Name>
}

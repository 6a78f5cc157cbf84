import { askToConfirm } from './confirmation.ts'
import type { Operations } from './generated-operations.ts'
import { OperationError } from './operation-error.ts'
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
 * Calls a management operation as the signed-in user. If it needs a confirmation, a dialog asks for it
 * and the operation is repeated.
 *
 * @throws OperationError
 */
export async function callOperation<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  signal?: AbortSignal,
): Promise<OutputOf<Name>> {
  const call = () => sendJson(`/operations/${name}`, input, signal)
  const response = await call().catch(async (error: unknown) => {
    const isAsked = error instanceof OperationError && error.code === 'confirmation_required'
    if (!isAsked || !(await askToConfirm())) throw error
    return await call()
  })
  // The service validates it against the schema that the type is generated from.
  return (await response.json()) as OutputOf<Name>
}

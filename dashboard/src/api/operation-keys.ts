import type { QueryClient } from '@tanstack/react-query'
import type { InputOf, OperationName } from './call-operation.ts'

/** The cache key of an answer: the operation, then its input. */
export function operationKey<Name extends OperationName>(name: Name, input: InputOf<Name>) {
  return ['operation', name, input] as const
}

/** Lists that grow page by page are kept apart from single answers. */
export function listKey<Name extends OperationName>(name: Name, input: InputOf<Name>) {
  return ['operation', name, input, 'pages'] as const
}

/** Refetches every cached answer of these operations, whatever its input. */
export async function refresh(client: QueryClient, names: readonly OperationName[]): Promise<void> {
  await Promise.all(
    names.map((name) => client.invalidateQueries({ queryKey: ['operation', name] })),
  )
}

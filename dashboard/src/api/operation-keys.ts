import type { QueryClient } from '@tanstack/react-query'
import type { InputOf, OperationName } from './call-operation.ts'

/** The cache key of a result: the operation, then its input. */
export function operationKey<Name extends OperationName>(name: Name, input: InputOf<Name>) {
  return ['operation', name, input] as const
}

/** Paged lists are cached separately from single results. */
export function listKey<Name extends OperationName>(name: Name, input: InputOf<Name>) {
  return ['operation', name, input, 'pages'] as const
}

/** Refetches every cached result of these operations, for any input. */
export async function refresh(client: QueryClient, names: readonly OperationName[]): Promise<void> {
  await Promise.all(
    names.map((name) => client.invalidateQueries({ queryKey: ['operation', name] })),
  )
}

import type { Operation } from './operation.ts'

/** Every management operation, in the order the faces list them. */
export const operations: readonly Operation[] = []

const byName = new Map(operations.map((operation) => [operation.name, operation]))

export function findOperation(name: string): Operation | undefined {
  return byName.get(name)
}

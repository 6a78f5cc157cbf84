import type { Surface } from '#kernel/actor.ts'
import { newId } from '#kernel/ids.ts'
import { operations } from '#operations/catalogue.ts'
import { inputJsonSchema } from '#operations/json-schema.ts'
import type { Operation } from '#operations/operation.ts'
import { inputFor, recordKinds, recordsNamed } from '#test/support/operation-inputs.ts'
import type { Tenant } from './tenant.ts'

/** The records of a tenant that operations can name. */
type Records = Pick<
  Tenant,
  'workspaceId' | 'appId' | 'chatSessionId' | 'sourceId' | 'productId' | 'orderId'
>

/**
 * A complete input for each operation of a surface: in another tenant's workspace and, if the
 * operation requires a record that these tenants have, on another tenant's record.
 */
export function inputsOf(
  surface: Surface,
  ids: Records,
): readonly { name: string; input: object }[] {
  const known = {
    app_id: ids.appId,
    session_id: ids.chatSessionId,
    source_id: ids.sourceId,
    product_id: ids.productId,
    order_id: ids.orderId,
  }
  const unknownIds = Object.fromEntries(recordKinds.map((kind) => [kind, newId()]))
  const mustName = (operation: Operation) => {
    const { required = [] } = inputJsonSchema(operation) as { required?: readonly string[] } // JSON Schema §6.5.3.
    return required.some((field) => (recordsNamed(operation).get(field) ?? '') in known)
  }
  return operations
    .filter(({ surfaces, personal }) => surfaces.includes(surface) && !personal)
    .flatMap((operation) => {
      const { name } = operation
      const onRecord = inputFor(operation, { ...unknownIds, ...known })
      const inWorkspace = { name, input: { ...onRecord, workspace_id: ids.workspaceId } }
      return mustName(operation) ? [inWorkspace, { name, input: onRecord }] : [inWorkspace]
    })
}

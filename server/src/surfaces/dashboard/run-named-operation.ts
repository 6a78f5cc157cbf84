import { defineFaults, Fault } from '#kernel/fault.ts'
import { requireConfirmed } from '#features/identity/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import type { Operation } from '#operations/operation.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { readJson } from '#surfaces/http/api-request.ts'
import { requireSession } from '#surfaces/http/signed-in.ts'
import { personRunning } from './acting-person.ts'

export const operationFaults = defineFaults({ unknown_operation: 'not_found' })

/** POST /api/dashboard/operations/{name} */
export async function runNamedOperation(ctx: Context, c: Http): Promise<Response> {
  const name = c.req.param('name') ?? ''
  const actor = await personRunning(ctx, c, name)
  const operation = dashboardOperation(name)
  const input = await readJson(c.req, maxBytes(ctx, operation))
  const { needsConfirmation: needed } = operation
  const isNeeded = typeof needed === 'function' ? await needed(input, ctx, actor) : needed
  if (isNeeded) requireConfirmed(ctx, await requireSession(ctx, c))
  return c.json(await runOperation(ctx, actor, operation, input, c.req.raw.signal))
}

/** An agent's document has its own limit; the input around it names the workspace. */
function maxBytes({ config }: Context, operation: Operation): number {
  if (operation.name !== 'import_app') return config.maxBodyBytes
  return Math.max(config.maxBodyBytes, config.maxImportBytes + aroundDocumentBytes)
}

const aroundDocumentBytes = 1024

/** @throws Fault unknown_operation */
export function dashboardOperation(name: string): Operation {
  const operation = findOperation(name)
  if (operation?.surfaces.includes('dashboard') === true) return operation
  throw new Fault(operationFaults.unknown_operation)
}

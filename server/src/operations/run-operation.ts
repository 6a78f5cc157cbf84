import type { z } from 'zod'
import { recordEvent } from '#features/audit/index.ts'
import { creditFaults, isOperator } from '#features/credits/index.ts'
import { roleIn } from '#features/workspaces/index.ts'
import { atLeast, type Actor } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { covers } from '#kernel/scope.ts'
import type { Context } from '#platform/context.ts'
import { recordId, type Call, type Operation } from './operation.ts'
import {
  recordDone,
  recordedDatabase,
  targetOf,
  type Attempt,
  type Recording,
} from './recorded-database.ts'

/** Every operation takes it, except what a person does without a workspace. */
const workspaceField = {
  workspace_id: recordId.optional().describe('Another of your workspaces; default: yours'),
}

/**
 * The input that the surfaces publish and the runner checks. An unknown field is refused: a misspelt
 * one that was ignored would look like a successful change.
 */
export function inputSchema(operation: Operation): z.ZodObject {
  const made = inputSchemas.get(operation) ?? makeInputSchema(operation)
  inputSchemas.set(operation, made)
  return made
}

/**
 * Cached: deriving a schema, and compiling it at first use, costs more than running most
 * operations.
 */
const inputSchemas = new WeakMap<Operation, z.ZodObject>()

function makeInputSchema(operation: Operation): z.ZodObject {
  const isComplete = operation.personal || 'workspace_id' in operation.input.shape
  const input = isComplete ? operation.input : operation.input.extend(workspaceField)
  return input.strict()
}

/**
 * Runs one management operation: input, workspace, role ∩ scopes, verb, audit.
 *
 * @throws Fault as the verb does, and invalid_input, scope_missing, permission_denied,
 *   operator_required
 */
export async function runOperation(
  ctx: Context,
  actor: Actor,
  operation: Operation,
  rawInput: unknown,
  signal: AbortSignal = neverAborted,
): Promise<Record<string, unknown>> {
  const attempt = { ctx, actor, operation }
  await requireSurface(attempt)
  await requireScope(attempt)
  const input = parseInput(operation, rawInput)
  if (operation.operatorOnly) await requireInstance(attempt, input)
  const place = operation.personal
    ? { workspaceId: actor.workspaceId, role: 'viewer' as const }
    : await enterWorkspace(attempt, input)
  const recording = { attempt, workspaceId: place.workspaceId, input }
  const call: Call = {
    ...place,
    actor,
    signal,
    record: (target) => ctx.db.write((tx) => recordDone(tx, recording, target)),
  }
  const db = recordedDatabase(recording)
  const output = await operation
    .run({ ...ctx, db }, call, input)
    .catch((error: unknown) => recordForbidden(recording, error))
  return operation.output.parse(output)
}

const neverAborted = new AbortController().signal

type Input = Readonly<Record<string, unknown>>

function parseInput(operation: Operation, rawInput: unknown): Input {
  const parsed = inputSchema(operation).safeParse(rawInput ?? {})
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => {
      const path = issue.path.join('.')
      return path === '' ? issue.message : `${path}: ${issue.message}`
    })
    throw new Fault(commonFaults.invalid_input, { issues })
  }
  if (isStorable(parsed.data)) return parsed.data
  const issues = ['text must be well-formed Unicode without the character U+0000']
  throw new Fault(commonFaults.invalid_input, { issues })
}

/** PostgreSQL refuses U+0000, and a lone surrogate would be stored as something else. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every((entry) => entry.every(isStorable))
}

/**
 * Refuses, and records, an operation that this surface does not offer.
 *
 * @throws Fault permission_denied
 */
async function requireSurface(attempt: Attempt): Promise<void> {
  const { actor, operation } = attempt
  if (operation.surfaces.includes(actor.surface)) return
  await recordRefusal(attempt, actor.workspaceId, null, { face: actor.surface })
  throw new Fault(commonFaults.permission_denied, {})
}

/**
 * Refuses, and records, an operation whose scope the credential lacks. A surface that answers this in
 * its own way may call it before `runOperation`.
 *
 * @throws Fault scope_missing
 */
export async function requireScope(attempt: Attempt): Promise<void> {
  const { actor, operation } = attempt
  if (operation.scope === null || covers(actor.scopes, operation.scope)) return
  await recordRefusal(attempt, actor.workspaceId, null, { missing_scope: operation.scope })
  throw new Fault(commonFaults.scope_missing, { scope: operation.scope })
}

/**
 * Refuses, and records, an operation that only operators of the instance may run.
 *
 * @throws Fault operator_required
 */
async function requireInstance(attempt: Attempt, input: Input): Promise<void> {
  const { ctx, actor, operation } = attempt
  if (await isOperator(ctx, actor.userId)) return
  await recordRefusal(attempt, actor.workspaceId, targetOf(operation, input), { needs: 'operator' })
  throw new Fault(creditFaults.operator_required)
}

async function enterWorkspace(attempt: Attempt, input: Input) {
  const workspaceId = await chooseWorkspace(attempt, input)
  const role = await requireRole(attempt, workspaceId, input)
  return { workspaceId, role }
}

/**
 * Where an operation acts: the workspace named, that of the record named, or the actor's own.
 *
 * @throws Fault record_not_found
 */
async function chooseWorkspace({ ctx, actor, operation }: Attempt, input: Input): Promise<string> {
  if (typeof input.workspace_id === 'string') return input.workspace_id
  const { actsOn } = operation
  const id = actsOn === undefined ? undefined : input[actsOn.field]
  if (actsOn?.workspaceOf === undefined || typeof id !== 'string') return actor.workspaceId
  const workspaceId = await actsOn.workspaceOf(ctx, id)
  // Refused before the verb reads the rest of the input, exactly as a record of another workspace
  // is: otherwise an error about the rest would reveal the difference.
  if (workspaceId === undefined) throw new Fault(commonFaults.record_not_found)
  return workspaceId
}

/**
 * To a non-member, a workspace looks as if it did not exist, so that they learn nothing about it.
 */
async function requireRole(attempt: Attempt, workspaceId: string, input: Input) {
  const { ctx, actor, operation } = attempt
  const role = await roleIn(ctx.db.read, actor.userId, workspaceId)
  if (role === null) {
    await recordRefusal(attempt, actor.workspaceId, targetOf(operation, input), {
      not_a_member: true,
    })
    throw new Fault(commonFaults.record_not_found)
  }
  if (atLeast(role, operation.role)) return role
  await recordRefusal(attempt, workspaceId, targetOf(operation, input), {
    role,
    needs: operation.role,
  })
  throw new Fault(commonFaults.permission_denied, { role, needs: operation.role })
}

/** Records refusals that only the verb can decide, such as granting a role above one's own. */
async function recordForbidden(
  { attempt, workspaceId, input }: Recording,
  error: unknown,
): Promise<never> {
  if (error instanceof Fault && error.kind === 'forbidden')
    await recordRefusal(attempt, workspaceId, targetOf(attempt.operation, input), {
      reason: error.code,
    })
  throw error
}

/**
 * The workspace an attempt would act in, for callers that need it before the run, such as a rate
 * limit. Input that does not parse, or names no record, counts to the actor's own workspace.
 */
export async function workspaceOf(attempt: Attempt, rawInput: unknown): Promise<string> {
  const { actor, operation } = attempt
  if (operation.personal) return actor.workspaceId
  const parsed = inputSchema(operation).safeParse(rawInput ?? {})
  if (!parsed.success || !isStorable(parsed.data)) return actor.workspaceId
  try {
    return await chooseWorkspace(attempt, parsed.data)
  } catch (error) {
    if (error instanceof Fault && error.kind === 'not_found') return actor.workspaceId
    throw error
  }
}

/** Records what was refused to an actor: who, by which client or key, what, on what, and why. */
export async function recordRefusal(
  { ctx, actor, operation }: Attempt,
  workspaceId: string,
  target: string | null,
  detail: Record<string, unknown>,
): Promise<void> {
  const event = { actor, workspaceId, action: operation.name, target, detail }
  await ctx.db.write((tx) => recordEvent(tx, ctx.clock.now(), { ...event, outcome: 'refused' }))
}

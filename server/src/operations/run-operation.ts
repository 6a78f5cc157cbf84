import type { z } from 'zod'
import { boundOfPerson, isFirstRefusal, recordEvent, withinBounds } from '#features/audit/index.ts'
import { countChange } from '#features/quotas/index.ts'
import { creditFaults, isOperator } from '#features/credits/index.ts'
import { actingRoleIn } from '#features/workspaces/index.ts'
import { atLeast, type Actor } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { hasMoreParts, isObject } from '#kernel/json.ts'
import { visitInSlices } from '#kernel/visit-in-slices.ts'
import { covers } from '#kernel/scope.ts'
import type { Context } from '#platform/context.ts'
import { faultBeyond, type ChosenPlace } from './fault-beyond.ts'
import { recordId, type Call, type Operation } from './operation.ts'
import {
  recordDone,
  recordedDatabase,
  targetOf,
  type Attempt,
  type Recording,
} from './recorded-database.ts'

/** A field of every operation that is not `personal`. */
const workspaceField = {
  workspace_id: recordId.optional().describe('Another of your workspaces; default: yours'),
}

/**
 * The input that the surfaces publish and the runner checks. Unknown fields are rejected: ignoring a
 * misspelt one would look like a successful change.
 */
export function inputSchema(operation: Operation): z.ZodObject {
  const schema = inputSchemas.get(operation) ?? deriveInputSchema(operation)
  inputSchemas.set(operation, schema)
  return schema
}

/** Cached: deriving and compiling a schema costs more than running most operations. */
const inputSchemas = new WeakMap<Operation, z.ZodObject>()

function deriveInputSchema(operation: Operation): z.ZodObject {
  const isComplete = operation.personal || 'workspace_id' in operation.input.shape
  const input = isComplete ? operation.input : operation.input.extend(workspaceField)
  return input.strict()
}

/**
 * Runs one management operation: checks scope, input and role, then runs and audits the verb.
 *
 * @throws Fault as the verb does, and invalid_input, scope_missing, permission_denied,
 *   operator_required, credential_bound, changes_limited, second_factor_required, credential_ended
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
  await requirePerson(attempt, rawInput)
  const input = await parseInput(operation, rawInput)
  if (operation.operatorOnly) await requireInstance(attempt, input)
  const place = operation.personal
    ? await enterNone(attempt, input)
    : await enterWorkspace(attempt, input)
  if (isCounted(attempt)) await countChange(ctx, place.workspaceId)
  const recording = { attempt, workspaceId: place.workspaceId, input }
  const call: Call = {
    ...place,
    actor,
    signal,
    record: (target) => ctx.db.write((tx) => recordDone(tx, recording, target)),
  }
  const db = recordedDatabase(recording)
  const output = await db
    .forTenant(place.workspaceId, () => operation.run({ ...ctx, db }, call, input))
    .catch((error: unknown) => recordForbidden(recording, error))
  return operation.output.parse(output)
}

/** Changes of a workspace that leave more in it than before; those of the operator are not counted. */
function isCounted({ actor, operation: { audit, personal, hints } }: Attempt): boolean {
  return audit !== null && !personal && !hints.destructive && actor.surface !== 'cli'
}

const neverAborted = new AbortController().signal

type Input = Readonly<Record<string, unknown>>

/** More than any input except a document needs: the time to check an input grows with its values. */
const maxInputValues = 10_000

function isTooLong(operation: Operation, rawInput: unknown): boolean {
  return !operation.longInput && hasMoreParts(rawInput, maxInputValues)
}

async function parseInput(operation: Operation, rawInput: unknown): Promise<Input> {
  if (isTooLong(operation, rawInput)) {
    const issues = [`there are more than ${maxInputValues} values`]
    throw new Fault(commonFaults.invalid_input, { issues })
  }
  const parsed = inputSchema(operation).safeParse(rawInput ?? {})
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => {
      const path = issue.path.join('.')
      return path === '' ? issue.message : `${path}: ${issue.message}`
    })
    throw new Fault(commonFaults.invalid_input, { issues })
  }
  if (await isStorable(parsed.data)) return parsed.data
  const issues = ['text must be well-formed Unicode without the character U+0000']
  throw new Fault(commonFaults.invalid_input, { issues })
}

/** PostgreSQL rejects U+0000, and a lone surrogate would be stored as another character. */
async function isStorable(value: unknown): Promise<boolean> {
  let is = true
  await visitInSlices(value, (part) => {
    if (typeof part === 'string') is &&= part.isWellFormed() && !part.includes('\0')
  })
  return is
}

/** @throws Fault permission_denied, recorded, if the surface does not offer the operation */
async function requireSurface(attempt: Attempt): Promise<void> {
  const { actor, operation } = attempt
  if (operation.surfaces.includes(actor.surface)) return
  await recordRefusal(attempt, actor.workspaceId, null, { face: actor.surface })
  throw new Fault(commonFaults.permission_denied, {})
}

/**
 * A surface with its own answer to a missing scope may call this before `runOperation`.
 *
 * @throws Fault scope_missing, recorded, if the credential lacks the operation's scope
 */
export async function requireScope(attempt: Attempt): Promise<void> {
  const { actor, operation } = attempt
  if (operation.scope === null || covers(actor.scopes, operation.scope)) return
  await recordRefusal(attempt, actor.workspaceId, null, { missing_scope: operation.scope })
  throw new Fault(commonFaults.scope_missing, { scope: operation.scope })
}

/** @throws Fault permission_denied, recorded, if an assistant gives a field that is for people only */
async function requirePerson(attempt: Attempt, rawInput: unknown): Promise<void> {
  const { actor, operation } = attempt
  if (actor.surface !== 'mcp' || !isObject(rawInput)) return
  const fields = operation.peopleOnlyFields.filter((field) => Object.hasOwn(rawInput, field))
  if (fields.length === 0) return
  await recordRefusal(attempt, actor.workspaceId, null, { people_only: fields })
  throw new Fault(commonFaults.permission_denied, { fields: fields.join(', ') })
}

/** @throws Fault operator_required, recorded, if the user is not an operator */
async function requireInstance(attempt: Attempt, input: Input): Promise<void> {
  const { ctx, actor, operation } = attempt
  if (await isOperator(ctx, actor.userId)) return
  await recordRefusal(attempt, actor.workspaceId, targetOf(operation, input), { needs: 'operator' })
  throw new Fault(creditFaults.operator_required)
}

/** The place of a personal operation. @throws Fault credential_bound, recorded */
async function enterNone(attempt: Attempt, input: Input) {
  const { workspaceId } = attempt.actor
  await requireReach(attempt, { workspaceId, record: null }, input)
  return { workspaceId, role: 'viewer' as const }
}

async function enterWorkspace(attempt: Attempt, input: Input) {
  const place = await choosePlace(attempt, input)
  await requireReach(attempt, place, input)
  const role = await requireRole(attempt, place.workspaceId, input)
  return { workspaceId: place.workspaceId, role }
}

/**
 * The workspace that the input names, that of the record it names, or the actor's own. The record is
 * looked up only if its workspace is needed, or if the credential is bound.
 *
 * @throws Fault record_not_found
 */
async function choosePlace({ ctx, actor, operation }: Attempt, input: Input): Promise<ChosenPlace> {
  const given = typeof input.workspace_id === 'string' ? input.workspace_id : undefined
  const { actsOn } = operation
  const id = actsOn === undefined ? undefined : input[actsOn.field]
  const isNeeded = given === undefined || actor.reach !== undefined
  if (!isNeeded || actsOn?.placeOf === undefined || typeof id !== 'string')
    return { workspaceId: given ?? actor.workspaceId, record: null }
  const record = await actsOn.placeOf(ctx, id)
  // Thrown before the verb reads the rest of the input, as for a record of another workspace:
  // an error about the rest would reveal which of the two it is.
  if (record === undefined) throw new Fault(commonFaults.record_not_found)
  return { workspaceId: given ?? record.workspaceId, record }
}

/** To a bound credential, everything beyond its reach looks as if it did not exist. */
async function requireReach(attempt: Attempt, place: ChosenPlace, input: Input): Promise<void> {
  const fault = faultBeyond(attempt, place)
  if (fault === null) return
  const target = targetOf(attempt.operation, input)
  await recordRefusal(attempt, attempt.actor.workspaceId, target, { beyond_reach: true })
  throw new Fault(fault)
}

/**
 * To a non-member, a workspace looks as if it did not exist.
 *
 * @throws Fault record_not_found, permission_denied, second_factor_required, all recorded
 */
async function requireRole(attempt: Attempt, workspaceId: string, input: Input) {
  const { ctx, actor, operation } = attempt
  const role = await actingRoleIn(ctx.db.read, actor.userId, workspaceId).catch((error: unknown) =>
    recordForbidden({ attempt, workspaceId, input }, error),
  )
  if (role === null) {
    // Anyone can invent ids of workspaces, so the next ones in the same minute are not recorded.
    const isFirst = await isFirstRefusal(ctx, `beyond:${credentialOf(actor)}:${operation.name}`)
    const target = targetOf(operation, input)
    if (isFirst) await recordRefusal(attempt, actor.workspaceId, target, { not_a_member: true })
    throw new Fault(commonFaults.record_not_found)
  }
  if (atLeast(role, operation.role)) return role
  const facts = { role, needs: operation.role }
  await recordRefusal(attempt, workspaceId, targetOf(operation, input), facts)
  throw new Fault(commonFaults.permission_denied, facts)
}

/** Records refusals that a feature decides, such as granting a role above one's own. */
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
 * The workspace that an attempt would act in, for callers that need it before the run, such as a rate
 * limit: the actor's own if the input is invalid, names no record, or names one beyond reach.
 */
export async function workspaceOf(attempt: Attempt, rawInput: unknown): Promise<string> {
  const { actor, operation } = attempt
  if (operation.personal || isTooLong(operation, rawInput)) return actor.workspaceId
  const parsed = inputSchema(operation).safeParse(rawInput ?? {})
  if (!parsed.success || !(await isStorable(parsed.data))) return actor.workspaceId
  try {
    const place = await choosePlace(attempt, parsed.data)
    return faultBeyond(attempt, place) === null ? place.workspaceId : actor.workspaceId
  } catch (error) {
    if (error instanceof Fault && error.kind === 'not_found') return actor.workspaceId
    throw error
  }
}

const refusalsPerMinute = 100

/** Of all people together: four can reach their own bound before those of others are left out. */
const refusalsOfWorkspace = 2_000

/** The key, grant or sign-in session in use; else the person, who is at the command line. */
function credentialOf({ via, session, userId }: Actor): string {
  return via?.id ?? session ?? userId
}

/**
 * Records a refusal, up to a number per credential, workspace and minute, and a larger one per person: a
 * flood with one credential, or in one workspace, must not hide what another one does. It is written in the turn of the actor's
 * own workspace, whatever workspace was named: a person chooses that freely.
 */
export async function recordRefusal(
  { ctx, actor, operation }: Attempt,
  workspaceId: string,
  target: string | null,
  detail: Record<string, unknown>,
): Promise<void> {
  const bounds = [
    { group: `${credentialOf(actor)}:${workspaceId}`, limit: refusalsPerMinute },
    boundOfPerson(actor.userId, workspaceId),
    { group: `workspace:${workspaceId}`, limit: refusalsOfWorkspace },
  ]
  const refusal = await withinBounds(ctx, bounds, { action: operation.name, target, detail })
  if (refusal === null) return
  const event = { ...refusal, actor, workspaceId, outcome: 'refused' } as const
  await ctx.db.forTenant(actor.workspaceId, () =>
    ctx.db.write((tx) => recordEvent(tx, ctx.clock.now(), event)),
  )
}

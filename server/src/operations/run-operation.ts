import type { z } from 'zod'
import { recordEvent } from '#features/audit/index.ts'
import { roleIn } from '#features/workspaces/index.ts'
import { atLeast, type Actor } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { covers } from '#kernel/scope.ts'
import type { Context } from '#platform/context.ts'
import type { Database } from '#platform/db/database.ts'
import { recordId, type Call, type Operation } from './operation.ts'

/** Every operation takes it, except what a person does without a workspace. */
const workspaceField = {
  workspace_id: recordId.optional().describe('Another of your workspaces; default: yours'),
}

/**
 * The input that the faces publish and the runner checks. A field it does not know is refused: a
 * misspelt one that was passed over would look like a change that was made.
 */
export function inputSchema(operation: Operation): z.ZodObject {
  const isComplete = operation.personal || 'workspace_id' in operation.input.shape
  const input = isComplete ? operation.input : operation.input.extend(workspaceField)
  return input.strict()
}

/**
 * Runs one management operation: input, workspace, role ∩ scopes, verb, audit.
 *
 * @throws Fault as the verb does, and invalid_input, scope_missing, permission_denied
 */
export async function runOperation(
  ctx: Context,
  actor: Actor,
  operation: Operation,
  rawInput: unknown,
): Promise<Record<string, unknown>> {
  if (!operation.faces.includes(actor.face)) throw new Fault(commonFaults.permission_denied)
  const attempt = { ctx, actor, operation }
  await requireScope(attempt)
  const input = parseInput(operation, rawInput)
  const call: Call = operation.personal
    ? { actor, workspaceId: actor.workspaceId, role: 'viewer' }
    : await enterWorkspace(attempt, input)
  const target = targetOf(input)
  const db = operation.hints.readOnly ? ctx.db : audited(attempt, call, target)
  const output = await operation.run({ ...ctx, db }, call, input)
  return operation.output.parse(output)
}

interface Attempt {
  readonly ctx: Context
  readonly actor: Actor
  readonly operation: Operation
}

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

/** PostgreSQL refuses U+0000, and half a surrogate pair would be stored as something else. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every((entry) => entry.every(isStorable))
}

async function requireScope(attempt: Attempt): Promise<void> {
  const { actor, operation } = attempt
  if (operation.scope === null || covers(actor.scopes, operation.scope)) return
  await recordRefusal(attempt, actor.workspaceId, null, { missing_scope: operation.scope })
  throw new Fault(commonFaults.scope_missing, { scope: operation.scope })
}

async function enterWorkspace(attempt: Attempt, input: Input): Promise<Call> {
  const workspaceId = await chooseWorkspace(attempt, input)
  const role = await requireRole(attempt, workspaceId, input)
  return { actor: attempt.actor, workspaceId, role }
}

async function chooseWorkspace({ ctx, actor, operation }: Attempt, input: Input): Promise<string> {
  if (typeof input.workspace_id === 'string') return input.workspace_id
  return (await operation.locate?.(ctx, input)) ?? actor.workspaceId
}

/** A workspace one is no member of is answered as one that does not exist: it tells nothing. */
async function requireRole(attempt: Attempt, workspaceId: string, input: Input) {
  const { ctx, actor, operation } = attempt
  const role = await roleIn(ctx, actor.userId, workspaceId)
  if (role === null) {
    await recordRefusal(attempt, actor.workspaceId, targetOf(input), { not_a_member: true })
    throw new Fault(commonFaults.record_not_found)
  }
  if (atLeast(role, operation.role)) return role
  await recordRefusal(attempt, workspaceId, targetOf(input), { role, needs: operation.role })
  throw new Fault(commonFaults.permission_denied, { role, needs: operation.role })
}

async function recordRefusal(
  { ctx, actor, operation }: Attempt,
  workspaceId: string,
  target: string | null,
  detail: Record<string, unknown>,
): Promise<void> {
  const event = { actor, workspaceId, action: operation.name, target, detail }
  await ctx.db.write((tx) => recordEvent(tx, ctx.clock.now(), { ...event, outcome: 'refused' }))
}

/**
 * The database as the verb of a change sees it: its unit also writes the audit row, so that no
 * change lands without its record and no record without its change.
 */
function audited({ ctx, actor, operation }: Attempt, call: Call, target: string | null): Database {
  const { db, clock } = ctx
  // The adapters are plain objects of closures, so a copy with another write is a database too.
  return {
    ...db,
    write: (unit) =>
      db.write(async (tx) => {
        const result = await unit(tx)
        await recordEvent(tx, clock.now(), {
          actor,
          workspaceId: call.workspaceId,
          action: operation.name,
          target: idOf(result) ?? target,
          outcome: 'done',
        })
        return result
      }),
  }
}

const targetFields = ['app_id', 'source_id', 'session_id', 'id', 'workspace_id'] as const

function targetOf(input: Input): string | null {
  for (const field of targetFields) {
    const value = input[field]
    if (typeof value === 'string') return value
  }
  return null
}

function idOf(result: unknown): string | null {
  const isRecord = typeof result === 'object' && result !== null && 'id' in result
  return isRecord && typeof result.id === 'string' ? result.id : null
}

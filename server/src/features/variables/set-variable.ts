import { fixedLimits } from '#kernel/limits.ts'
import { requireAgent } from '#features/agents/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { anyHost, areWithin, parseHost, readHosts } from './secret-hosts.ts'
import { variableFaults } from './variable-faults.ts'
import { variableFromRow, type Variable, type VariableKind } from './variable.ts'
import { countVariables, findVariable, upsertVariable, type VariableRow } from './variable-store.ts'

export interface VariableChange {
  readonly appId: string
  readonly name: string
  readonly kind: VariableKind
  /** If left out, a value of the same kind stays unchanged. */
  readonly value?: string | number | boolean | undefined
  readonly description?: string | undefined
  /**
   * Of a secret: the only hosts that it is sent to, or `any`, which only an owner may choose. If left
   * out, they stay unchanged; null means none, as for other variables.
   */
  readonly hosts?: readonly string[] | 'any' | null | undefined
}

/** Variables per agent. */
export const maxVariables = fixedLimits.variables_per_agent.most

/** Shorter secrets could not be masked, because ordinary text contains them. */
const shortestSecret = 4

/**
 * Creates or changes a variable. A secret is sealed and never shown again.
 *
 * @throws Fault record_not_found, variable_invalid, too_many_variables
 */
export async function setVariable(
  ctx: Pick<Context, 'db' | 'clock' | 'vault'>,
  workspaceId: string,
  change: VariableChange,
): Promise<Variable> {
  // Sealed before the unit: a unit may run twice.
  const written = writeValue(ctx, change)
  return ctx.db.write(async (tx) => {
    const agent = await requireAgent(tx, workspaceId, change.appId)
    const before = await findVariable(tx, agent.id, change.name)
    if (before === undefined) requireRoomForVariables(await countVariables(tx, agent.id), 1)
    const now = ctx.clock.now()
    const row = {
      agent_id: agent.id,
      name: change.name,
      workspace_id: workspaceId,
      kind: change.kind,
      description: change.description ?? before?.description ?? '',
      ...(written ?? keptValue(before, change.kind)),
      hosts_json: hostsJson(before, change, written !== null),
      // Hosts that a person has chosen are whole.
      hosts_incomplete: change.hosts === undefined ? (before?.hosts_incomplete ?? 0) : 0,
      created_at: before?.created_at ?? now,
      updated_at: now,
    }
    await upsertVariable(tx, row)
    return variableFromRow(row)
  })
}

/** @throws Fault too_many_variables */
export function requireRoomForVariables(count: number, more: number): void {
  if (count + more > maxVariables)
    throw new Fault(variableFaults.too_many_variables, { allowed: maxVariables })
}

type Written = Pick<VariableRow, 'value_json' | 'value_sealed'>

function writeValue({ vault }: Pick<Context, 'vault'>, change: VariableChange): Written | null {
  const { kind, value } = change
  if (value === undefined) return null
  const problem = variableProblem(kind, value)
  if (problem !== null) throw invalid(problem)
  return kind === 'secret'
    ? { value_json: null, value_sealed: vault.seal(String(value)) }
    : { value_json: JSON.stringify(value), value_sealed: null }
}

/** Why a value does not fit its kind; null when it does. */
export function variableProblem(kind: VariableKind, value: unknown): string | null {
  if (kind === 'secret')
    return String(value).length < shortestSecret
      ? `a secret must be at least ${shortestSecret} characters long`
      : null
  if (kind === 'url' && !isAddress(value)) return 'value must be an http(s) address'
  const type = kind === 'url' ? 'string' : kind
  return typeof value === type ? null : `value must be a ${type}`
}

/** A change of kind needs a value: otherwise a secret could become a text and be shown. */
function keptValue(before: VariableRow | undefined, kind: VariableKind): Written {
  if (before === undefined) throw invalid('a new variable needs a value')
  if (before.kind !== kind) throw invalid('a change of the type needs a value')
  return { value_json: before.value_json, value_sealed: before.value_sealed }
}

/** More hosts for a secret need its value: otherwise an editor could have it sent to them. */
function hostsJson(
  before: VariableRow | undefined,
  { kind, hosts }: VariableChange,
  hasValue: boolean,
): string | null {
  if (kind !== 'secret') {
    if ((hosts ?? null) !== null) throw invalid('only a secret has hosts')
    return null
  }
  const kept = before?.kind === kind ? readHosts(before.hosts_json) : []
  const next = hosts === undefined ? kept : hosts === 'any' ? [anyHost] : readNames(hosts ?? [])
  if (next.length === 0)
    throw invalid('a secret needs hosts: name those that may receive it, such as api.example.com')
  if (before !== undefined && hosts !== 'any' && !hasValue && !areWithin(next, kept))
    throw invalid('a change of the hosts needs the value')
  return JSON.stringify(next)
}

function readNames(hosts: readonly string[]): string[] {
  const read = hosts.map((text) => {
    if (text === anyHost) throw invalid('any host is for an owner to choose, with allow_any_host')
    const host = parseHost(text)
    if (host === null) throw invalid(`${text} is not a host name, with or without a port`)
    return host
  })
  return [...new Set(read)]
}

function isAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function invalid(problem: string): Fault {
  return new Fault(variableFaults.variable_invalid, { problem })
}

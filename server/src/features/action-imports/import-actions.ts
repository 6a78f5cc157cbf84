import {
  addAction,
  listActionNames,
  prepareAction,
  namesIn,
  requireRoomForActions,
  type ActionDefinition,
  type NewAction,
  type WithoutCredentials,
} from '#features/actions/index.ts'
import { requireAgent } from '#features/agents/index.ts'
import { freeToolName } from '#features/tool-calls/index.ts'
import { readPortableVariables } from '#features/variables/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { Fault } from '#kernel/fault.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import type { OutboundResponse } from '#platform/outbound-http/outbound.ts'
import { CurlProblem } from './curl/curl-options.ts'
import { basicAuth, importCurl } from './curl/import-curl.ts'
import { importFaults } from './import-faults.ts'
import { importOpenApi, type Importer } from './openapi/import-openapi.ts'
import type { ImportedDocument, OpenApiChoice } from './openapi/openapi-operations.ts'
import { maxDocumentLength, OpenApiProblem } from './openapi/openapi-problem.ts'
import type { NeededVariable } from './openapi/openapi-security.ts'

/** What to import, in one of three ways. */
export interface ImportRequest extends OpenApiChoice {
  readonly appId: string
  /** An OpenAPI 3 document, JSON or YAML. */
  readonly openapi?: string | undefined
  /** The address of such a document. */
  readonly url?: string | undefined
  readonly curl?: string | undefined
  /**
   * The operations whose calls the user confirms, as `ImportedAction.operation` names them. By
   * default all except those with safe methods.
   */
  readonly confirm?: readonly string[] | undefined
  /** Only returns what would be created. */
  readonly dryRun: boolean
}

interface ImportedAction {
  /** Null in a dry run. */
  readonly id: string | null
  /** The imported operation, as a request names it in `only`: `GET /orders/{id}`. */
  readonly operation: string
  /** Credentials are masked already. */
  readonly definition: ActionDefinition
}

export interface Import {
  readonly id: string
  readonly actions: readonly ImportedAction[]
  /** Secrets that must be set before the actions work. */
  readonly needed: readonly NeededVariable[]
  readonly skipped: readonly { readonly operation: string; readonly reason: string }[]
}

/**
 * Creates actions from an OpenAPI 3 document or a curl command, or returns what it would create.
 *
 * @throws Fault record_not_found, import_invalid, action_invalid, too_many_actions,
 *   too_many_variables, imports_busy; the signal's reason
 */
export async function importActions(
  ctx: Pick<Context, 'db' | 'clock' | 'vault' | 'outbound' | 'workers' | 'importSlots'>,
  importer: Importer,
  request: ImportRequest,
): Promise<Import> {
  const { workspaceId } = importer
  const agent = await requireAgent(ctx.db.read, workspaceId, request.appId)
  const imported = await read(ctx, importer, request)
  const { prepared, skipped } = await prepareAll(ctx, imported, request.confirm)
  const needed = await withoutValue(ctx, agent.id, imported.needed)
  const found = { id: agent.id, needed, skipped }
  if (request.dryRun) {
    const names = await listActionNames(ctx.db.read, agent.id)
    const actions = rename(prepared, names).map((one) => {
      return { id: null, operation: one.operation, definition: preview(one) }
    })
    return { ...found, actions }
  }
  return ctx.db.write(async (tx) => {
    await requireAgent(tx, workspaceId, agent.id)
    const names = await listActionNames(tx, agent.id)
    requireRoomForActions(names.length, prepared.length)
    const actions: ImportedAction[] = []
    for (const one of rename(prepared, names)) {
      const { id, definition } = await addAction(tx, ctx, { agentId: agent.id, workspaceId }, one)
      actions.push({ id, operation: one.operation, definition })
    }
    return { ...found, actions }
  })
}

async function read(
  ctx: Pick<Context, 'outbound' | 'workers' | 'importSlots'>,
  importer: Importer,
  { openapi, url, curl, ...choice }: ImportRequest,
): Promise<ImportedDocument> {
  const given = [openapi, url, curl].filter((one) => one !== undefined)
  if (given.length !== 1) throw invalid('Give one of openapi, url and curl.')
  try {
    if (curl !== undefined) {
      const action = importCurl(curl)
      const operation = `${action.method} ${action.url}`
      return { operations: [{ operation, action }], needed: variablesOf(action), skipped: [] }
    }
    if (openapi !== undefined) return await importOpenApi(ctx, importer, openapi, choice)
    const { text, documentUrl } = await fetchDocument(ctx, url ?? '', importer.signal)
    return await importOpenApi(ctx, importer, text, { ...choice, documentUrl })
  } catch (error) {
    if (error instanceof CurlProblem || error instanceof OpenApiProblem)
      throw invalid(error.message, error)
    if (isNamed<Error>(error, 'SlotsBusy'))
      throw new Fault(importFaults.imports_busy, { retryAfterSeconds: 10 }, { cause: error })
    throw error
  }
}

/** The shell variables of a curl command. */
function variablesOf(action: NewAction): NeededVariable[] {
  return namesIn(JSON.stringify(action), 'variable').map((name) => ({
    name,
    about: name === basicAuth ? 'base64 of user:password' : '',
  }))
}

/** The variables that have no value yet. */
async function withoutValue(
  ctx: Pick<Context, 'db'>,
  agentId: string,
  needed: readonly NeededVariable[],
): Promise<NeededVariable[]> {
  const variables = await readPortableVariables(ctx.db.read, agentId)
  const set = variables.filter(({ value, sealed }) => value !== null || sealed !== null)
  return needed.filter(({ name }) => !set.some((one) => one.name === name))
}

async function fetchDocument(
  { outbound }: Pick<Context, 'outbound'>,
  url: string,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly documentUrl: string }> {
  const response = await outbound
    .request(url, {
      signal,
      maxBytes: maxDocumentLength,
      headers: { accept: 'application/json, */*' },
    })
    .catch((error: unknown): OutboundResponse => {
      // The reason is not shown, because it could reveal our network.
      if (isNamed(error, 'OutboundRefused'))
        throw invalid('The document could not be fetched.', error)
      throw error
    })
  if (response.status !== 200) throw invalid(`Its server answered ${response.status}.`)
  return { text: response.body.toString(), documentUrl: response.url }
}

interface Prepared extends WithoutCredentials {
  readonly operation: string
}

/** Methods that change nothing: RFC 9110, section 9.2.1. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** A misspelt operation would be called without a confirmation that the caller asked for. */
function requireKnown(
  names: readonly string[],
  operations: readonly { readonly operation: string }[],
): void {
  const unknown = names.find((name) => !operations.some(({ operation }) => operation === name))
  if (unknown !== undefined) throw invalid(`confirm names an unknown operation: ${unknown}`)
}

/** Invalid operations are skipped. If none is left, the first reason is the error. */
async function prepareAll(
  ctx: Pick<Context, 'vault'>,
  { operations, skipped }: ImportedDocument,
  confirm?: readonly string[],
) {
  requireKnown(confirm ?? [], [...operations, ...skipped])
  const prepared: Prepared[] = []
  const reasons = [...skipped]
  const slice = new CpuSlice()
  for (const { operation, action } of operations) {
    if (slice.isOver) await slice.next()
    try {
      const requires_confirmation = confirm?.includes(operation) ?? !safeMethods.has(action.method)
      prepared.push({ operation, ...prepareAction(ctx, { ...action, requires_confirmation }) })
    } catch (error) {
      if (!(error instanceof Fault) || operations.length === 1) throw error
      const { issues } = error.facts
      reasons.push({ operation, reason: Array.isArray(issues) ? issues.join('; ') : error.code })
    }
  }
  if (prepared.length > 0) return { prepared, skipped: reasons }
  const [first] = reasons
  throw invalid(first === undefined ? 'It has no operation to import.' : `${first.operation}: ${first.reason}`) // prettier-ignore
}

/** An import never replaces an action: a name that is taken is changed. */
function rename(
  prepared: readonly Prepared[],
  names: readonly { readonly name: string }[],
): Prepared[] {
  const taken = new Set(names.map(({ name }) => name))
  return prepared.map(({ definition, ...rest }) => {
    const name = freeToolName(definition.name, taken)
    taken.add(name)
    return { ...rest, definition: { ...definition, name } }
  })
}

/** The definition with the variable names of its credentials. */
function preview({ definition, credentials }: WithoutCredentials): ActionDefinition {
  let text = JSON.stringify(definition)
  for (const { slot, wantedName } of credentials)
    text = text.replaceAll(slot, `{{var.${wantedName}}}`)
  // The same definition with some texts replaced.
  return JSON.parse(text) as ActionDefinition
}

function invalid(problem: string, cause?: unknown): Fault {
  return new Fault(importFaults.import_invalid, { problem }, { cause })
}

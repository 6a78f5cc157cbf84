import { z } from 'zod'
import type { Actor, Surface, Role } from '#kernel/actor.ts'
import type { Page } from '#kernel/page.ts'
import type { Place } from '#kernel/reach.ts'
import type { NamedScope } from '#kernel/scope.ts'
import type { Context } from '#platform/context.ts'
import type { Audit } from './audited.ts'

type Toolset = 'core' | 'apps' | 'knowledge' | 'actions' | 'analytics' | 'workspace' | 'billing'

/** What a caller may expect of an operation: MCP's tool annotations. */
interface OperationHints {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  /** Reaches beyond this service: a model, a web page, a payment provider. */
  readonly openWorld: boolean
}

export const hints = {
  read: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  create: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  update: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  remove: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
} as const satisfies Record<string, OperationHints>

/** One call of an operation, with the workspace that the runner chose. */
export interface Call {
  readonly actor: Actor
  readonly workspaceId: string
  readonly role: Role
  /** Aborted when the caller has disconnected. */
  readonly signal: AbortSignal
  /** Writes the audit event of an operation whose `audit.writtenBy` is `verb`. */
  record(target: string): Promise<void>
}

/** The acting user in the call's workspace, as most verbs accept it. */
export function memberOf({ actor, workspaceId }: Call) {
  return { userId: actor.userId, workspaceId }
}

/** The record that an operation's input names. */
interface Subject<Field extends string = string> {
  readonly field: Field
  /**
   * Finds where the record is. Ids are unique across workspaces, so a user need not name the
   * workspace. Undefined if the record does not exist.
   */
  placeOf?(ctx: Context, id: string): Promise<Place | undefined>
}

/** One management operation as data: an MCP tool, a dashboard endpoint and a CLI command. */
export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  readonly name: string
  readonly title: string
  /** At most two sentences: every message of an assistant costs the tokens of all descriptions. */
  readonly description: string
  readonly toolset: Toolset
  /** The scope that a credential needs; null for none. */
  readonly scope: NamedScope | null
  /** The minimum role in the workspace. */
  readonly role: Role
  /**
   * True for an operation that needs no workspace, such as creating one. It accepts no
   * `workspace_id`, and its call carries the lowest role.
   */
  readonly personal: boolean
  /**
   * What a credential that is bound to workspaces or agents must reach. `agent`: the agent of the
   * record that the input names. `workspace`: the whole workspace. `part`: something in the
   * workspace; the verb leaves out what is beyond. `everything`: only a credential without bounds
   * may run it. Default: `agent` if the input names a record of an agent, `everything` for a
   * personal operation, otherwise `workspace`.
   */
  readonly reach: 'agent' | 'workspace' | 'part' | 'everything'
  /** True for an operation on the whole instance: only operators may run it. Implies `personal`. */
  readonly operatorOnly: boolean
  readonly hints: OperationHints
  /** What the audit log keeps of a change; null for a read-only operation. */
  readonly audit: Audit<z.output<Input>> | null
  /**
   * True if the result contains text from outside the workspace (a visitor, a web page). Assistants
   * are instructed to treat it as data.
   */
  readonly quotesOthers: boolean
  readonly surfaces: readonly Surface[]
  /**
   * Whether the dashboard asks the person again who they are, unless they signed in or confirmed within
   * `CONFIRMATION_SECONDS`: for what creates credentials, deletes for good or hands over. Never for what
   * revokes access.
   */
  readonly needsConfirmation: boolean | NeedsConfirmation
  /** Fields of the input that no assistant may give; its tool does not show them. */
  readonly peopleOnlyFields: readonly (keyof z.output<Input> & string)[]
  /** True if the input contains a whole document; other inputs have a limit on their values. */
  readonly longInput: boolean
  readonly input: Input
  readonly output: Output
  /** The record acted on. It determines the workspace unless the input names one. */
  readonly actsOn?: Subject<keyof z.output<Input> & string>
  run(ctx: Context, call: Call, input: z.output<Input>): Promise<z.input<Output>>
}

/** Decides before the input is checked and the role of the person is known. */
type NeedsConfirmation = (input: unknown, ctx: Context, actor: Actor) => boolean | Promise<boolean>

type Defaulted =
  | 'needsConfirmation'
  | 'peopleOnlyFields'
  | 'reach'
  | 'surfaces'
  | 'role'
  | 'personal'
  | 'operatorOnly'
  | 'quotesOthers'
  | 'longInput'

/** An operation that changes something must declare what is audited. */
type Effect<Input extends z.ZodObject> =
  | { readonly hints: OperationHints & { readonly readOnly: true }; readonly audit?: never }
  | {
      readonly hints: OperationHints & { readonly readOnly: false }
      readonly audit: Audit<z.output<Input>>
    }

type Definition<Input extends z.ZodObject, Output extends z.ZodObject> = Omit<
  Operation<Input, Output>,
  Defaulted | 'hints' | 'audit'
> &
  Partial<Pick<Operation<Input, Output>, Defaulted>> &
  Effect<Input>

const everySurface: readonly Surface[] = ['mcp', 'dashboard', 'cli']

/** For operations that an assistant must never run: on keys, members, plans, grants. */
export const peopleOnly: readonly Surface[] = ['dashboard', 'cli']

/** Fills in the defaults of a definition: every surface; viewers read, editors change. */
export function defineOperation<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): Operation<Input, Output> {
  return {
    surfaces: everySurface,
    personal: false,
    operatorOnly: false,
    audit: null,
    quotesOthers: false,
    needsConfirmation: false,
    peopleOnlyFields: [],
    longInput: false,
    role: definition.hints.readOnly ? 'viewer' : 'editor',
    reach: leastReach(definition),
    ...definition,
  }
}

function leastReach({
  personal,
  actsOn,
}: {
  readonly personal?: boolean
  readonly actsOn?: Subject
}): Operation['reach'] {
  if (personal === true) return 'everything'
  return actsOn?.placeOf === undefined ? 'workspace' : 'agent'
}

/** An operation with the rules and the audit of another, and its own input, output and verb. */
export function varyOperation<Input extends z.ZodObject, Output extends z.ZodObject>(
  base: Operation,
  own: Pick<Operation<Input, Output>, 'input' | 'output' | 'run'> &
    Partial<Pick<Operation, 'name' | 'role'>>,
): Operation {
  return { ...base, ...own }
}

/** Lists are `{items, next_cursor}` everywhere. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), next_cursor: z.string().nullable() })
}

export function listAnswer<Item, Shown>(page: Page<Item>, show: (item: Item) => Shown) {
  return { items: page.items.map(show), next_cursor: page.nextCursor }
}

export const paging = {
  limit: z.int().min(1).max(100).default(20).describe('At most 100'),
  cursor: z.string().max(500).optional().describe('A next_cursor'),
}

/** RFC 3339 in UTC, from epoch milliseconds. */
export const timestamp = z
  .number()
  .transform((milliseconds) => new Date(milliseconds).toISOString())
  .pipe(z.iso.datetime())

/** An RFC 3339 time, to epoch milliseconds. */
export const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))

/** An agent's UUID or `app_name_id`. */
export const appId = z.string().min(1).max(200).describe('UUID or app_name_id')

/** Any UUID, in the letter case that ids are stored in; a client may choose a session's own. */
export const recordId = z.guid().toLowerCase()

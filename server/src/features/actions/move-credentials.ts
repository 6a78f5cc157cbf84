import {
  readPortableVariables,
  requireRoomForVariables,
  storeVariables,
  variableNameFrom,
} from '#features/variables/index.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { ActionDefinition } from './request/action-definition.ts'
import { hostOfAddress } from './secret-use.ts'

/** A sealed credential of a definition, in which `slot` has replaced it. */
interface MovedCredential {
  readonly slot: string
  /** The name of the variable, unless another variable has it. */
  readonly wantedName: string
  readonly sealed: string
}

export interface WithoutCredentials {
  readonly definition: ActionDefinition
  readonly credentials: readonly MovedCredential[]
}

const credentialHeader = /^(authorization|proxy-authorization|cookie|x-auth.*)$/i
const credentialKey =
  /(api[-_]?key|token|secret|password|passwd|credentials?)$|^(key|auth|sig|signature|pwd)$|-key$/i

/** Headers in which a scheme may precede the credential (RFC 9110 §11.4). */
const schemeHeader = /^((proxy-)?authorization|x-auth.*)$/i

function isCredentialName(name: string): boolean {
  return credentialHeader.test(name) || credentialKey.test(name)
}

/**
 * Moves credentials out of a definition: from its headers, fixed parameters, JSON body and the query of
 * its URL. They become secret variables, so that everyone who may see the agent may see the
 * definition.
 */
export function moveCredentials(
  { vault }: Pick<Context, 'vault'>,
  definition: ActionDefinition,
): WithoutCredentials {
  const { credentials, move, moveHeader, moveWithin } = createMover(vault, definition.name)
  const headers = Object.fromEntries(
    Object.entries(definition.headers).map(([name, value]) => [name, moveHeader(name, value)]),
  )
  const parameters = definition.parameters.map((parameter) => {
    const { source, key, value } = parameter
    return source === 'fixed' ? { ...parameter, value: moveWithin(key, value) } : parameter
  })
  const url = definition.url.replace(
    /([?&])([^=&#{}]+)=([^&#{}]+)/g,
    (whole, mark: string, key: string, value: string) =>
      isCredentialName(key) ? `${mark}${key}=${move(key, decodedOrSame(value))}` : whole,
  )
  const body_template = moveInBody(definition, moveWithin)
  return { definition: { ...definition, url, parameters, headers, body_template }, credentials }
}

/** The body is formatted again only if something is moved. */
function moveInBody(
  { body_type, body_template: body }: ActionDefinition,
  moveWithin: (key: string, value: unknown) => unknown,
): string | null {
  if (body_type !== 'json' || body === null) return body
  const before: unknown = JSON.parse(body)
  const after = JSON.stringify(moveWithin('', before))
  return after === JSON.stringify(before) ? body : after
}

function createMover(vault: Context['vault'], actionName: string) {
  const credentials: MovedCredential[] = []
  const prefix = variableNameFrom(actionName)

  function move(key: string, literal: string): string {
    // `Bearer` and `Basic` are not secret, and make the definition readable.
    const scheme = schemeHeader.test(key) ? (/^[A-Za-z][\w-]* +/.exec(literal)?.[0] ?? '') : ''
    const secret = literal.slice(scheme.length)
    // A text this short can neither be masked in an answer nor resist guessing.
    if (secret.length < 4) return literal
    const slot = `{{slot ${newId()}}}`
    const wantedName = `${prefix}__${variableNameFrom(key)}`.slice(0, 110)
    credentials.push({ slot, wantedName, sealed: vault.seal(secret) })
    return `${scheme}${slot}`
  }

  /** `key` is the name of the value; nested values have names of their own. */
  function moveWithin(key: string, value: unknown): unknown {
    if (typeof value === 'string')
      return isCredentialName(key) && !value.includes('{{') ? move(key, value) : value
    if (Array.isArray(value)) return value.map((one) => moveWithin(key, one))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        // In a pair of `key` and `value`, `key` is a name.
        name === 'key' && 'value' in value ? one : moveWithin(name, one),
      ]),
    )
  }

  /**
   * White space around the value of a header is no part of it (RFC 9110 §5.5). A secret that contained it
   * would not be found in a response, so it would not be masked.
   */
  function moveHeader(name: string, value: string): string {
    if (!isCredentialName(name) || value.includes('{{')) return value
    const trimmed = value.trim()
    const moved = move(name, trimmed)
    return moved === trimmed ? value : moved
  }

  return { credentials, move, moveHeader, moveWithin }
}

/**
 * A step: stores the credentials as secret variables and puts references to them into the definition.
 * It overwrites a variable of the same name only if the action already uses it.
 *
 * @param before the action's present definition; null for a new one
 * @throws Fault too_many_variables
 */
export async function keepCredentials(
  tx: Tx,
  place: { readonly agentId: string; readonly workspaceId: string; readonly now: number },
  { definition, credentials }: WithoutCredentials,
  before: ActionDefinition | null,
): Promise<ActionDefinition> {
  if (credentials.length === 0) return definition
  const own = before === null ? '' : JSON.stringify(before)
  const stored = await readPortableVariables(tx, place.agentId)
  const names = stored.map(({ name }) => name)
  const plain = new Map(stored.map(({ name, value }) => [name, value?.toString()]))
  const known = new Set(names)
  const taken = new Set(names.filter((name) => !own.includes(`{{var.${name}}}`)))
  let text = JSON.stringify(definition)
  for (const { slot, wantedName, sealed } of credentials) {
    const name = freeName(wantedName, taken)
    taken.add(name)
    if (!known.has(name)) requireRoomForVariables(known.size, 1)
    known.add(name)
    text = text.replaceAll(slot, `{{var.${name}}}`)
    const host = hostOfAddress(definition.url, (variable) => plain.get(variable))
    const description = `Taken from the action ${definition.name}`
    const secret = { name, description, sealed, hosts: host === null ? [] : [host] }
    await storeVariables(tx, place, [{ ...secret, kind: 'secret', value: null }])
  }
  // The same definition with some texts replaced.
  return JSON.parse(text) as ActionDefinition
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted
  for (let n = 2; taken.has(name); n += 1) name = `${wanted}_${n}`
  return name
}

/** A text that is not URL-encoded is returned as it is. */
export function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}

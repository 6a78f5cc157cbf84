import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { z } from 'zod'
import type { Context } from '#platform/context.ts'

/**
 * Names that the service uses itself, may use one day, or that would let a page pass for the operator's
 * own.
 */
const reserved = new Set([
  'account',
  'admin',
  'administrator',
  'api',
  'app',
  'assets',
  'auth',
  'billing',
  'chat',
  'dashboard',
  'docs',
  'domains',
  'enter',
  'home',
  'login',
  'logout',
  'mcp',
  'new',
  'oauth',
  'official',
  'parley',
  'root',
  'security',
  'settings',
  'setup',
  'sign-in',
  'signin',
  'static',
  'status',
  'support',
  'system',
  'tls',
  'visit',
  'widget',
  'www',
])

/** What every `app_name_id` ends with, and no slug: neither can ever stand for the other. */
const idEnd = /-\d+$/

/** Whether the name in an address is an agent's `app_name_id`; otherwise it is a slug. */
export function isAppNameId(name: string): boolean {
  return idEnd.test(name)
}

/** The name of a page in its address; empty for the `app_name_id`. */
export const slug = z.union([
  z.literal(''),
  z
    .string()
    .min(3)
    .max(60)
    .regex(
      /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
      'must be lowercase letters, digits and single hyphens between them',
    )
    .refine((name) => !idEnd.test(name), 'must not end with a hyphen and a number, as ids do')
    .refine((name) => !reserved.has(name), 'is reserved'),
])

/** The label below a domain where its proof is looked for. */
const proofLabel = '_parley'
/** RFC 1035 §2.3.4, with the label of the proof and its dot. */
const longestName = 253 - proofLabel.length - 1
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The form in which a domain is stored and compared: lower case, Punycode, no dot at its end. */
function asciiDomain(text: string): string {
  return domainToASCII(text.trim()).replace(/\.$/, '')
}

function isDomain(name: string): boolean {
  const labels = name.split('.')
  const isName = name.length <= longestName && labels.length > 1 && labels.every(isLabel)
  return isName && isIP(name) === 0 && !/^\d+$/.test(labels.at(-1) ?? '')
}

function isLabel(text: string): boolean {
  return label.test(text)
}

/** The domain of a page, as people type it; empty for none. */
export const domain = z
  .string()
  .max(300)
  .transform(asciiOrSame)
  .refine(
    (name) => name === '' || isDomain(name),
    'must be a domain such as chat.example.com, without https:// and a path',
  )

/** What has no such form stays as it is, and is refused: a URL would lose its path and port. */
function asciiOrSame(text: string): string {
  if (text.trim() === '') return ''
  return /[^\p{L}\p{M}\p{N}.\-\s]/u.test(text) ? text : asciiDomain(text) || text
}

/** The host of an address, as `domain` writes it; null if it cannot be a domain of a page. */
export function domainOfHost(host: string): string | null {
  const name = host.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase()
  return isDomain(name) ? name : null
}

/** The record that proves that a workspace may use a domain. */
export function proofOfDomain(
  { vault }: Pick<Context, 'vault'>,
  { workspaceId, domain: name }: { readonly workspaceId: string; readonly domain: string },
): { readonly name: string; readonly value: string } {
  const mac = vault.mac('domain of a chat page', `${workspaceId} ${name}`)
  return { name: `${proofLabel}.${name}`, value: `parley-domain=${mac}` }
}

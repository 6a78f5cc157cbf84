import { fixedLimits } from '#kernel/limits.ts'

/** In the place of the hosts of a secret: it may be sent to any. Only an owner can choose that. */
export const anyHost = '*'

/** Hosts per secret. Each action has one host, so a secret can have those of all of an agent's actions. */
export const maxSecretHosts = fixedLimits.actions_per_agent.most

/**
 * Reads a host name or IP address, with or without a port, as URLs write it: lowercase, punycode,
 * without a dot at the end. Without a port, it stands for every port. There are no wildcards, because
 * anyone can get a name below many domains (docs/decisions/0025).
 *
 * @returns null for anything else
 */
export function parseHost(text: string): string | null {
  const [, name = '', port] = /^(\[[^\]]+\]|[^\s:/?#@\\*%[\]]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  const url = name === '' ? null : URL.parse(`http://${name}/`)
  const host = url === null ? '' : plainHost(url)
  if (host === '') return null
  if (port === undefined) return host
  return Number(port) >= 1 && Number(port) <= 65_535 ? `${host}:${Number(port)}` : null
}

/** Whether a secret with these hosts may be sent to this address. */
export function isForHost(hosts: readonly string[], url: URL): boolean {
  const host = plainHost(url)
  const port = url.port === '' ? (url.protocol === 'http:' ? '80' : '443') : url.port
  return hosts.some((one) => one === anyHost || one === host || one === `${host}:${port}`)
}

/** Whether each of the hosts already received the secret: a smaller choice reveals nothing. */
export function areWithin(hosts: readonly string[], before: readonly string[]): boolean {
  if (before.includes(anyHost)) return true
  const named = (host: string) => before.includes(host) || before.includes(withoutPort(host))
  return hosts.every(named)
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '')
}

function plainHost({ hostname }: URL): string {
  return hostname.replace(/\.+$/, '')
}

/** @param json null for a secret that was stored before hosts were required */
export function readHosts(json: string | null): readonly string[] {
  // Only this feature writes it, from such a list.
  return json === null ? [] : (JSON.parse(json) as readonly string[])
}

import type { Config } from '#config'

type Addressed = Pick<Config, 'baseUrl'>

/** The service's own address: from the configuration, never from a Host header. */
export function serviceAddress({ baseUrl }: Addressed): URL {
  return new URL(baseUrl)
}

/** The path under which the service runs: empty, or with a leading slash and no trailing one. */
export function basePath(config: Addressed): string {
  return serviceAddress(config).pathname.replace(/\/$/, '')
}

/** A path of the service for a link or redirect, valid under every host name of the service. */
export function pathTo(
  config: Addressed,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const parameters = new URLSearchParams(query).toString()
  return `${basePath(config)}${path}${parameters === '' ? '' : `?${parameters}`}`
}

/** A return path, if it stays within the service: `//host`, `/\host` and the like leave it. */
export function localPath(config: Addressed, given: string | undefined): string | null {
  if (given === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(given)) return null
  const { origin } = serviceAddress(config)
  return URL.canParse(given, origin) && new URL(given, origin).origin === origin ? given : null
}

/** True for https and for localhost, where browsers accept `Secure` cookies. */
export function isSecureAddress(config: Addressed): boolean {
  const { protocol, hostname } = serviceAddress(config)
  const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
  return protocol === 'https:' || loopback.test(hostname)
}

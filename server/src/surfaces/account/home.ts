import type { Config } from '#config'
import { localPath, pathTo } from '#surfaces/http/service-address.ts'

/** Where people are once they are signed in and had no other place to go: the dashboard. */
export const home = '/'

/** A person's own page: password, sessions, connected applications. */
export const accountPath = '/account'

/** Where a sign-in leads: the path it was asked to return to, if that is one of ours. */
export function returnPath(config: Pick<Config, 'baseUrl'>, given: string | undefined): string {
  return localPath(config, given) ?? pathTo(config, home)
}

import { createHmac, timingSafeEqual } from 'node:crypto'
import { Fault } from '#kernel/fault.ts'
import { mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { readTokenCookie, writeCookie } from './cookies.ts'
import type { Http } from './environment.ts'
import { requestFaults } from './request-faults.ts'

/** For the forms that change a person's own account or sign out; they are on several pages. */
export const accountPurpose = 'account'

/** This browser's secret; creates one and sets the cookie if there is none. */
export function browserSecret({ config }: Pick<Context, 'config'>, c: Http): string {
  const known = readTokenCookie(c, config, 'browser') ?? c.get('browserSecret')
  if (known !== undefined) return known
  const { token } = mintToken('')
  c.set('browserSecret', token)
  writeCookie(c, config, { name: 'browser', value: token })
  return token
}

/**
 * A CSRF token, bound to browser, session and purpose. It is computed, not stored: only the holder
 * of the cookies can compute it, and it becomes invalid when another person signs in.
 */
export function formToken({ config }: Pick<Context, 'config'>, c: Http, purpose: string): string {
  const browser = browserSecret({ config }, c)
  return compute(browser, readTokenCookie(c, config, 'session'), purpose)
}

/** @throws Fault form_stale */
export function requireFormToken(
  { config }: Pick<Context, 'config'>,
  c: Http,
  purpose: string,
  form: URLSearchParams,
): void {
  const browser = readTokenCookie(c, config, 'browser')
  if (browser === null) throw new Fault(requestFaults.form_stale)
  const expected = Buffer.from(compute(browser, readTokenCookie(c, config, 'session'), purpose))
  const actual = Buffer.from(form.get('form_token') ?? '')
  if (actual.length === expected.length && timingSafeEqual(actual, expected)) return
  throw new Fault(requestFaults.form_stale)
}

function compute(browser: string, session: string | null, purpose: string): string {
  return createHmac('sha256', browser)
    .update(`${purpose}\n${session ?? ''}`)
    .digest('base64url')
}

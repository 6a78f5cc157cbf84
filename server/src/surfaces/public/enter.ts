import { beginVisit, openPage, visitorFaults } from '#features/visitors/index.ts'
import { isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { FindBuild } from '#surfaces/http/built-files.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { readSession } from '#surfaces/http/signed-in.ts'
import { limitRequests } from './acting-visitor.ts'
import { answerNotice } from './chat-page.ts'
import { nameInRequest, pathInRequest, pathOfPage, pathToEnter } from './page-paths.ts'
import { languageOf } from './texts/texts.ts'
import { isPreview, keepBrowserToken } from './visits.ts'

/**
 * GET /login/chat/{app}: the only address of visitors that reads who is signed in, and not below `/chat`,
 * where browsers send no cookie of the dashboard. It leads to the page, which learns nothing about the
 * session. In a preview, where nobody can sign in, who may not open the page sees what the page says to
 * them.
 */
export async function enterChatPage(ctx: Context, c: Http, find: FindBuild): Promise<Response> {
  await limitRequests(ctx, c)
  const page = await openPage(ctx, nameInRequest(c))
  const path = pathInRequest(ctx.config, c)
  const shown = isPreview(c) ? `${path}?preview` : path
  const { access } = page.settings
  if (access !== 'members' && access !== 'openid') return c.redirect(shown, 303)
  const session = await readSession(ctx, c)
  const isWanted = session !== null && (access === 'members' || session.method === 'openid')
  if (!isWanted && isPreview(c)) return c.redirect(shown, 303)
  if (!isWanted) {
    const way = access === 'openid' ? '/login/oidc' : '/login'
    return c.redirect(pathTo(ctx.config, way, { return_to: pathToEnter(ctx.config, c) }), 303)
  }
  const by = session.method === 'openid' ? 'openid' : 'password'
  const signedIn = { by, at: ctx.clock.now(), session: session.id } as const
  const proof = { person: session.user.id, signedIn }
  try {
    // The cookie of the page is not sent here. A person's conversations are found by the person.
    keepBrowserToken(ctx, c, page, await beginVisit(ctx, page, { browserToken: null, proof }))
  } catch (error) {
    if (!isFault(error, visitorFaults.visit_refused)) throw error
    return await refusePerson(ctx, c, find)
  }
  const address = pathOfPage(ctx.config, c, page)
  return c.redirect(isPreview(c) ? `${address}?preview` : address, 303)
}

/** GET /chat/{app}/enter: where links of the version before lead. */
export function leadToEnter({ config }: Context, c: Http): Response {
  const { search } = new URL(c.req.url)
  return c.redirect(pathToEnter(config, c) + search, 303)
}

/** Signing in again would change nothing, unless the person has another account. */
async function refusePerson(ctx: Context, c: Http, find: FindBuild): Promise<Response> {
  const spoken = languageOf(c.req.header('accept-language'))
  const { texts } = spoken
  const link = { href: pathTo(ctx.config, '/account'), text: texts.toAccount }
  const notice = { page: null, spoken, text: texts.noAccess, status: 403, link } as const
  return await answerNotice(ctx, c, find, notice)
}

import { getCookie, setCookie } from 'hono/cookie'
import {
  beginVisit,
  openPage,
  proofOfLink,
  renewVisit,
  visitorFaults,
  type OpenPage,
  type Visit,
} from '#features/visitors/index.ts'
import { daySeconds } from '#kernel/durations.ts'
import { isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { FindBuild } from '#surfaces/http/built-files.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { isSecureAddress, pathTo } from '#surfaces/http/service-address.ts'
import { limitRequests, visitOf } from './acting-visitor.ts'
import { answerChatPage, answerNotice } from './chat-page.ts'
import {
  addressAtService,
  isAtDomain,
  nameInRequest,
  pathOfPage,
  pathOfScript,
  pathToEnter,
} from './page-paths.ts'
import { filesData } from './files-data.ts'
import { toPublicFault } from './public-faults.ts'
import { languageOf } from './texts/texts.ts'

/** GET /chat/{app}: the page, with a visit for its script. */
export async function showChatPage(ctx: Context, c: Http, find: FindBuild): Promise<Response> {
  await limitRequests(ctx, c)
  const spoken = languageOf(c.req.header('accept-language'))
  const page = await openPage(ctx, nameInRequest(c))
  const isElsewhere = !isAtDomain(c) && c.req.param('app') !== page.address
  // The slug of a restricted page is for those who may open it.
  if (isElsewhere && page.settings.access === 'public') return leadToAddress(ctx, c, page)
  const proof = proofOfLink(page, c.req.query('k') ?? '')
  const arriving = { browserToken: readBrowserToken(c) }
  try {
    const visit = await beginVisit(ctx, page, proof === null ? arriving : { ...arriving, proof })
    if (isElsewhere) return leadToAddress(ctx, c, page)
    keepBrowserToken(ctx, c, page, visit)
    const data = { ...(await pageData(ctx, c, page, visit)), preview: isPreview(c) }
    return await answerChatPage(ctx, c, find, { page, spoken, data, ancestors: ancestorsOf(c) })
  } catch (error) {
    if (!isFault(error, visitorFaults.visit_refused)) throw error
    const { access } = page.settings
    const isForPeople = access === 'members' || access === 'openid'
    const way = isAtDomain(c) ? addressAtService(ctx.config, page) : pathToEnter(ctx.config, c)
    const text = spoken.texts.restricted
    // Without the page: its name is for those who may open it.
    const notice = {
      page: null,
      spoken,
      text,
      status: 403,
      ancestors: ancestorsOf(c),
      // Nobody can sign in within a frame.
      ...(isForPeople && !isPreview(c) && { link: { href: way, text: spoken.texts.signIn } }),
    } as const
    return await answerNotice(ctx, c, find, notice)
  }
}

/** Whether the dashboard shows the page to an editor. */
export function isPreview(c: Http): boolean {
  return c.req.query('preview') !== undefined
}

/** In the dashboard's preview, or in the document that can be installed; no other page may frame it. */
function isFramed(c: Http): boolean {
  return isPreview(c) || c.req.query('app') !== undefined
}

function ancestorsOf(c: Http): readonly string[] {
  return isFramed(c) ? ["'self'"] : []
}

/** POST /chat/{app}/visit: another 15 minutes. */
export async function renew(ctx: Context, c: Http): Promise<Response> {
  const { page, visit } = await visitOf(ctx, c)
  const { token, endsAt } = await renewVisit(ctx, page, visit)
  return c.json({ token, ends_in: endsAt - ctx.clock.now() })
}

/** A page that explains why the visitor cannot chat at this address. */
export async function answerPageFault(
  ctx: Context,
  c: Http,
  find: FindBuild,
  error: unknown,
): Promise<Response> {
  const spoken = languageOf(c.req.header('accept-language'))
  const { status } = toPublicFault(error)
  const shown = status === 404 || status === 403 || status === 429 || status === 503 ? status : 500
  const text =
    status === 403 && isFault(error, visitorFaults.visit_refused)
      ? spoken.texts.restricted
      : spoken.texts.unavailable
  const notice = { page: null, spoken, text, status: shown } as const
  return await answerNotice(ctx, c, find, notice)
}

/**
 * Leads from another name of a page to its address, and takes along what the browser remembers: the
 * cookie belongs to the path.
 */
function leadToAddress(ctx: Context, c: Http, page: OpenPage): Response {
  const { config } = ctx
  const before = pathTo(config, `/chat/${c.req.param('app') ?? ''}`)
  const browserToken = readBrowserToken(c)
  if (browserToken !== null) {
    keepBrowserToken(ctx, c, page, { browserToken })
    setCookie(c, cookie, '', { path: before, maxAge: 0 })
  }
  c.header('Cache-Control', 'no-store')
  return c.redirect(pathOfPage(config, c, page) + new URL(c.req.url).search, 302)
}

/** What the script of a page needs. */
async function pageData(ctx: Context, c: Http, page: OpenPage, visit: Visit) {
  const { config, clock } = ctx
  return {
    base: pathOfScript(config, c, page),
    token: visit.token,
    endsIn: visit.endsAt - clock.now(),
    paused: page.settings.paused,
    characters: page.settings.message_characters,
    files: await filesData(ctx, page),
    app: isFramed(c) ? null : `${pathOfPage(config, c, page)}/app`,
  }
}

const cookie = 'parley_visitor'

export function readBrowserToken(c: Http): string | null {
  return getCookie(c, cookie) ?? null
}

function cookiePath(config: Context['config'], c: Http, page: OpenPage): string {
  return isAtDomain(c) ? '/' : pathOfPage(config, c, page)
}

/** Only the page of this agent gets it back, and no script can read it. */
export function keepBrowserToken(
  { config }: Context,
  c: Http,
  page: OpenPage,
  { browserToken }: Pick<Visit, 'browserToken'>,
): void {
  setCookie(c, cookie, browserToken, {
    path: cookiePath(config, c, page),
    httpOnly: true,
    sameSite: 'Lax',
    secure: isSecureAddress(config),
    maxAge: config.visitorDays * daySeconds,
  })
}

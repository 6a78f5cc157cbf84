import {
  bestOn,
  beginWidgetVisit,
  countWidgetLoad,
  editorSources,
  openPageOfKey,
  readEditorPass,
  requireEmbedding,
  visitorFaults,
  type OpenPage,
} from '#features/visitors/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isObject } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import { readJson } from '#surfaces/http/api-request.ts'
import type { FindBuild } from '#surfaces/http/built-files.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { limitRequests } from './acting-visitor.ts'
import { answerChatPage, nameOf } from './chat-page.ts'
import { filesData } from './files-data.ts'
import { languageOf } from './texts/texts.ts'

/** How long a browser keeps the settings of a widget. */
const keptSeconds = 60

/** GET /chat/widget/{key}: what the loader needs to draw the button on the host's page. */
export async function showWidget(ctx: Context, c: Http): Promise<Response> {
  await limitRequests(ctx, c)
  const page = await openPageOfKey(ctx, c.req.param('key') ?? '')
  const origin = c.req.header('origin') ?? ''
  const pass = await readEditorPass(ctx, page, c.req.query('editor') ?? null)
  // Not awaited: the host's page does not wait for statistics.
  void countWidgetLoad(ctx, page, { origin, loads: 1, visits: 0 })
  requireEmbedding(page, origin, pass !== null)
  const { code, direction, texts } = languageOf(c.req.header('accept-language'))
  const { settings } = page
  c.header('Cache-Control', `private, max-age=${keptSeconds}`)
  c.header('Vary', 'Origin, Accept-Language')
  return c.json({
    name: nameOf(page),
    language: code,
    direction,
    color: settings.color,
    on_color: bestOn(settings.color),
    side: settings.widget_side,
    icon: settings.widget_icon,
    round: settings.corner_radius,
    open: texts.openChat,
    close: texts.close,
    after_seconds: settings.open_after_seconds,
    at_scroll: settings.open_at_scroll,
    on_paths: settings.open_on_paths,
  })
}

/** GET /chat/widget/{key}/frame: the page without a visit, which the loader brings. */
export async function showFrame(ctx: Context, c: Http, find: FindBuild): Promise<Response> {
  await limitRequests(ctx, c)
  const page = await openPageOfKey(ctx, c.req.param('key') ?? '')
  // Restricted pages open as pages of their own, where people can sign in.
  if (page.settings.access !== 'public') throw new Fault(visitorFaults.visit_refused)
  const spoken = languageOf(c.req.header('accept-language'))
  const pass = await readEditorPass(ctx, page, c.req.query('editor') ?? null)
  const { settings, appNameId } = page
  const data = {
    base: pathTo(ctx.config, `/chat/${appNameId}`),
    paused: settings.paused,
    characters: settings.message_characters,
    files: await filesData(ctx, page),
    app: null,
  }
  const ancestors = ancestorsOf(page, pass !== null)
  return await answerChatPage(ctx, c, find, { page, spoken, data, ancestors })
}

function ancestorsOf({ settings }: OpenPage, isEditor: boolean): readonly string[] {
  return isEditor ? [...settings.widget_origins, ...editorSources] : settings.widget_origins
}

const maxVisitBytes = 32 * 1024

/** POST /chat/widget/{key}/visit: a visit for the frame, bound to the site that embeds it. */
export async function enterWidget(ctx: Context, c: Http): Promise<Response> {
  await limitRequests(ctx, c)
  const page = await openPageOfKey(ctx, c.req.param('key') ?? '')
  const body = await readJson(c.req, maxVisitBytes)
  const { browser, editor, identity } = isObject(body) ? body : {}
  const origin = c.req.header('origin') ?? ''
  const visit = await beginWidgetVisit(ctx, page, {
    origin,
    browserToken: typeof browser === 'string' ? browser : null,
    editorPass: typeof editor === 'string' ? editor : null,
    identity: typeof identity === 'string' ? identity : null,
  })
  void countWidgetLoad(ctx, page, { origin, loads: 0, visits: 1 })
  const { token, browserToken, endsAt, continues, leftOut } = visit
  const ends_in = endsAt - ctx.clock.now()
  // The host's page has the identity, so it learns nothing from the names of its claims.
  return c.json({ token, ends_in, browser: browserToken, continues, left_out: leftOut })
}

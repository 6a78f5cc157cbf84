import { SignJWT } from 'jose'
import { baseUrl } from '#test/support/identity/sign-in-service.ts'
import { textOf } from './plant-entrusted.ts'

type Answer = Readonly<Record<string, unknown>>

interface Ports {
  readonly appId: string
  readonly appNameId: string
  readonly now: number
  /** Runs an operation. @throws Error if it is refused */
  accepted(name: string, input: object): Promise<Answer>
  request(path: string, init?: RequestInit): Promise<Response>
  /** Keeps what a visitor receives. */
  onAnswer(text: string): void
}

const site = 'https://shop.example'
const visitorCookie = 'parley_visitor'

/** Uses, correctly and wrongly, every secret of a chat page, its widget and its visitors. */
export async function plantVisitors(ports: Ports) {
  const { appId: app_id, appNameId, now, accepted, request, onAnswer } = ports
  const open = { app_id, enabled: true, access: 'public', widget_origins: [site] }
  const { widget_key } = await accepted('update_chat_page', open)
  const identity = await accepted('rotate_identity_secret', { app_id })
  const identitySecret = textOf(identity, 'secret')
  const widgetPass = textOf(await accepted('create_widget_pass', { app_id }), 'pass')
  const path = `/chat/${appNameId}`

  const page = await request(path)
  const visitToken = /"token":"([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const cookie = page.headers
    .get('set-cookie')
    ?.split(';')[0]
    ?.slice(visitorCookie.length + 1)
  const post = async (to: string, body: object, headers: Record<string, string>) => {
    const type = { 'content-type': 'application/json' }
    const sent = { method: 'POST', headers: { ...type, ...headers }, body: JSON.stringify(body) }
    return await (await request(to, sent)).text()
  }
  for (const token of [visitToken, `${visitToken}x`]) {
    const headers = { authorization: `Bearer ${token}`, origin: 'null' }
    onAnswer(await post(`${path}/messages`, { text: 'hello' }, headers))
    onAnswer(await post(`${path}/ratings`, { conversation_id: token }, headers))
  }

  const identityToken = await new SignJWT({ sub: 'customer-1' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt(Math.floor(now / 1000))
    .setExpirationTime(Math.floor(now / 1000) + 600)
    .sign(new TextEncoder().encode(identitySecret))
  const widget = `/chat/widget/${String(widget_key)}/visit`
  const enter = (identity: string) => post(widget, { identity }, { origin: site })
  const entered = JSON.parse(await enter(identityToken)) as { token?: string; browser?: string }
  onAnswer(await enter(`${identityToken}x`))
  onAnswer(await post(widget, { editor: `${widgetPass}x` }, { origin: 'http://localhost:1' }))
  await post(widget, { editor: widgetPass }, { origin: 'http://localhost:1' })

  const { url } = await accepted('update_chat_page', { app_id, access: 'link' })
  const pageLink = new URL(String(url), baseUrl).searchParams.get('k') ?? ''
  await request(`${path}?k=${pageLink}`)
  onAnswer(await (await request(`${path}?k=${pageLink}x`)).text())
  return {
    identitySecret,
    moderationSecret: textOf(identity, 'moderation_secret'),
    widgetPass,
    visitToken,
    visitorCookie: cookie ?? '',
    identityToken,
    identifiedVisit: entered.token ?? '',
    widgetBrowser: entered.browser ?? '',
    pageLink,
  }
}

import { SignJWT } from 'jose'
import type { AttackedService } from '#test/support/processes/attacked-service.ts'
import {
  fillEmptyConversations,
  made,
  useModel,
  usingUp,
  words,
  type Attack,
  type Group,
} from './stalling-attack.ts'

const site = 'https://shop.example'

/** Visitors with very many conversations who are identified, and visitors with files. */
const visitors: Group = async (attacked) => {
  const { service } = attacked
  await useModel(service)
  const page = await openWidget(service)
  const anonymous = []
  for (const count of [100, 30_000, 30_000]) {
    const { browser, token } = await page.begin({})
    const [payload = ''] = token.split('.')
    const { visitor } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const endUser = `visitor:${visitor}`
    await fillEmptyConversations(attacked, { agentId: service.agent.id, count, endUser })
    anonymous.push(browser)
  }
  await fillEmptyConversations(attacked, {
    agentId: service.agent.id,
    count: 30_000,
    endUser: 'person:old',
  })
  const { token } = await page.begin({ identity: await page.identityOf('old') })
  const file = (name: string, type: string, text: string) => ({
    name,
    data: `data:${type};base64,${Buffer.from(text).toString('base64')}`,
  })
  const csv = file('table.csv', 'text/csv', `a,b\n${'1,2\n'.repeat(50_000)}`)
  const note = file('note.md', 'text/markdown', words(60_000))
  const say = (files: object[]): Attack => ({
    status: 200,
    send: () => page.ask(token, '/messages', { text: 'Which number is in it?', files }),
  })
  return [
    usingUp(
      anonymous,
      async (browser) =>
        await page.enter({ browser, identity: await page.identityOf(browser.slice(-20)) }),
      async () => await page.ask(token, '/conversations'),
    ),
    { status: 200, send: () => page.ask(token, '/conversations') },
    say([csv]),
    say([note]),
  ]
}

async function openWidget(service: AttackedService) {
  const { id: app_id, app_name_id: name } = service.agent
  const settings = {
    enabled: true,
    widget_origins: [site],
    visitor_files: true,
    daily_messages: 1e6,
  }
  const change = { app_id, ...settings }
  const { widget_key: key } = await made(
    service.operation('update_chat_page', JSON.stringify(change)),
  )
  const rotation = service.operation('rotate_identity_secret', JSON.stringify({ app_id }))
  const secret = new TextEncoder().encode(String((await made(rotation)).secret))
  const enter = (body: object) =>
    service.post(`/chat/widget/${String(key)}/visit`, JSON.stringify(body), { origin: site })
  return {
    enter,
    begin: async (body: object) => (await made(enter(body))) as { browser: string; token: string },
    identityOf: (sub: string) =>
      new SignJWT({ sub })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('1h')
        .sign(secret),
    ask: (token: string, path: string, body?: object) =>
      service.send(body === undefined ? 'GET' : 'POST', `/chat/${name}${path}`, {
        headers: { origin: 'null', authorization: `Bearer ${token}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  }
}

export const groupsOfVisitors: Readonly<Record<string, Group>> = {
  'visitors with 30,000 conversations who are identified, and their files': visitors,
}

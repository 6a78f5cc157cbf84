import { beforeAll, expect, test } from 'vitest'
import { createAction } from '#features/actions/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { loopback } from '#test/support/chat/agent-with-actions.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'
import {
  baseUrl,
  describeSignIn,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'
import { chatEvent, me } from './page-answers.ts'

/** The types of the pages are generated from these schemas, so answers must match them. */
describeSignIn('what the pages are answered is what their types say:', (open) => {
  let service: SignInService
  let cookie: string
  let agentPath: string
  let model: ModelServer

  const ownPage = () => ({ origin: baseUrl, 'sec-fetch-site': 'same-origin', cookie })

  async function post(path: string, body: string, type = 'application/json'): Promise<Response> {
    return await service.app.request(`${baseUrl}/api/dashboard${path}`, {
      method: 'POST',
      headers: { ...ownPage(), 'content-type': type },
      body,
    })
  }

  async function eventsOf(message: string): Promise<readonly unknown[]> {
    const response = await post(`${agentPath}/chat`, JSON.stringify({ message }))
    const frames = (await response.text()).split('\n\n').filter((one) => one.startsWith('data: '))
    return frames.map((frame): unknown => JSON.parse(frame.slice(6)))
  }

  beforeAll(async () => {
    const api = await startActionServer(json({ days: 30 }))
    model = await startModelServer({
      script: (_, n) =>
        n === 0
          ? { reply: '', toolCalls: [{ name: 'look_up', arguments: {} }] }
          : { reply: 'Within 30 days [1].' },
    })
    service = await open({ ...loopback, OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'sk-x' })
    const { cookies } = await service.signedIn()
    cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const input = JSON.stringify({ name: 'Tea shop', model: 'openai/gpt-5.2' })
    const made = await post('/operations/create_app', input)
    const { id: appId } = (await made.json()) as { id: string }
    agentPath = `/agents/${appId}`
    const { workspaceId } = service.ada
    await addTextSource(service.ctx, workspaceId, {
      appId,
      title: 'Returns',
      text: 'Orders can be returned within 30 days.',
    })
    await createAction(service.ctx, workspaceId, appId, {
      name: 'look_up',
      description: 'Looks up how long',
      method: 'GET',
      url: `${api.origin}/days`,
    })
  })

  test('who is here', async () => {
    const response = await service.app.request(`${baseUrl}/api/dashboard/me`, {
      headers: { ...ownPage(), 'accept-language': 'de' },
    })
    expect(me.parse(await response.json())).toMatchObject({ locale: 'de' })
  })

  test('an answer of the test chat, with calls and citations, and one that fails', async () => {
    const events = (await eventsOf('How long can orders be returned?')).map((event) =>
      chatEvent.parse(event),
    )
    const types = new Set(events.map(({ type }) => type))
    expect(types).toEqual(new Set(['start', 'tool_calls', 'text', 'done']))
    expect(events.at(-1)).toMatchObject({ citations: [{ title: 'Returns' }] })
    await model.stop()
    const broken = (await eventsOf('And how is it sent?')).map((event) => chatEvent.parse(event))
    expect(broken.at(-1)).toMatchObject({ type: 'error' })
  })

  test('an uploaded file', async () => {
    const response = await post(`${agentPath}/files?filename=a.md`, '# Tea', 'text/markdown')
    const source = (await response.json()) as Record<string, unknown>
    const input = JSON.stringify({ source_id: source.id })
    const answer = await post('/operations/get_knowledge_source', input)
    const named = Object.keys((await answer.json()) as object)
    expect(Object.keys(source).toSorted()).toEqual(named.toSorted())
  })
})

import { expect, test } from 'vitest'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { baseUrl, describeSignIn } from '#test/support/identity/sign-in-service.ts'

describeSignIn('the settings that a test chat answers with', (open) => {
  test('are those of the draft, or of the version and model that it names', async () => {
    const model = await startModelServer({ reply: ['Good ', 'day.'] })
    const service = await open({ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'sk-x' })
    const { cookies } = await service.signedIn()
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const post = (path: string, input: unknown) =>
      service.app.request(`${baseUrl}/api/dashboard${path}`, {
        method: 'POST',
        headers: { origin: baseUrl, 'content-type': 'application/json', cookie },
        body: JSON.stringify(input),
      })
    const run = async (name: string, input: unknown) =>
      (await (await post(`/operations/${name}`, input)).json()) as Record<string, unknown>
    const instructions = { name: 'Tester', model: 'openai/gpt-5.2', system_prompt: 'Be brief.' }
    const { id } = await run('create_app', instructions)
    await run('update_app', { app_id: id, publish: false, system_prompt: 'Be long.' })
    const ask = async (input: Record<string, unknown>) => {
      const before = model.requests.length
      await (await post(`/agents/${String(id)}/chat`, { message: 'Good day', ...input })).text()
      return (await model.request(before)).body
    }
    expect(JSON.stringify(await ask({}))).toContain('Be long.')
    const compared = await ask({ version: 1, model: 'openai/other', store: false })
    expect(JSON.stringify(compared)).toContain('Be brief.')
    expect(compared).toMatchObject({ model: 'other' })
    const { items } = await run('list_conversations', { app_id: id })
    expect(items).toHaveLength(1)
    const history = [
      { role: 'user', content: 'Good morning' },
      { role: 'assistant', content: 'And to you.' },
    ]
    const again = await ask({ message: 'How are you?', history })
    const said = (again as { messages: { role: string; content: string }[] }).messages
    const asked = { role: 'user', content: 'How are you?' }
    expect(said.filter(({ role }) => role !== 'system')).toEqual([...history, asked])
    const after = await run('list_conversations', { app_id: id })
    expect(after['items']).toMatchObject([{ message_count: 4 }, { message_count: 2 }])
  })
})

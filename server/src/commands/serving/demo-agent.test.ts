import { beforeAll, expect, it } from 'vitest'
import { describeInstance } from '#test/support/test-instance.ts'
import { chatSurface } from '#surfaces/chat/index.ts'
import { ensureDemoAgent, welcomeOnce } from './demo-agent.ts'

describeInstance('The demo agent answers from Parley’s documentation', (openInstance) => {
  let ask: (question: string) => Promise<string>

  beforeAll(async () => {
    const { ctx, person } = await openInstance()
    const { userId, workspaceId } = await person()
    await ensureDemoAgent(ctx, { userId, workspaceId })
    const welcome = await welcomeOnce(ctx, { userId, workspaceId })
    const app = chatSurface(ctx)
    ask = async (question) => {
      const messages = [{ role: 'user', content: question }]
      const response = await app.request('/chat/completions', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${welcome?.chatKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ model: welcome?.appNameId, messages, store: false }),
      })
      const { choices }: { choices: { message: { content: string } }[] } = JSON.parse(
        await response.text(),
      )
      return choices[0]?.message.content ?? ''
    }
  })

  it.each([
    ['What is Parley?', 'a service that hosts AI agents'],
    ['How do I install it?', 'npm start'],
    ['Which port does it listen on?', 'PORT'],
    ['how can i use postgres', 'DATABASE_URL'],
    ['Can I use Ollama?', 'OLLAMA_BASE_URL'],
    ['How do I invite a colleague?', 'invite_member'],
    ['What happens when credits run out?', '402'],
    ['How do I reset my password?', 'reset-password'],
    ['does it support streaming?', '"stream": true'],
    ['How do I back up the data?', 'backup FILE'],
    ['How do I restore a backup?', 'restore'],
    ['What file formats can I upload?', 'PDF'],
    ['How long are access tokens valid?', 'one hour'],
    ['what’s the maximum size of a request?', 'MAX_BODY_BYTES'],
    ['How do I continue a conversation?', 'chatSessionId'],
    ['How do I connect Claude to it?', 'MCP'],
    ['How do I crawl a website?', 'crawls'],
    ['Can the agent call my API?', 'action'],
    ['What roles are there?', 'viewers'],
    ['How do I set up single sign-on?', 'OIDC_ISSUER'],
    ['Where is my data stored?', 'DATA_DIR'],
    ['Can I export an agent?', 'export_app'],
    ['Can I roll back an agent?', 'rollback_app'],
    ['How do I rate an answer?', '/api/v1/chat/feedback'],
    ['What does a plan include?', 'credits it gets each month'],
    ['What is a session lease?', 'exclusive right'],
  ])('%s', async (question, told) => {
    expect(await ask(question)).toContain(told)
  })

  it.each([
    'Who won the world cup in 2014?',
    'What is the capital of France?',
    'Who is the president of the United States?',
    'How do I change a tyre on my car?',
    'Which planet is the largest?',
    'What is the weather in Berlin tomorrow?',
    'When was Napoleon born?',
    'What is the best restaurant in Lyon?',
  ])('and says that it found nothing: %s', async (question) => {
    expect(await ask(question)).toContain('found nothing')
  })
})

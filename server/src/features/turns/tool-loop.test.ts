import { beforeAll, expect, test } from 'vitest'
import { createAction } from '#features/actions/index.ts'
import { createAgent } from '#features/agents/index.ts'
import { TurnCredits } from '#features/credits/index.ts'
import { newId } from '#kernel/ids.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { openToolbox } from './tool-loop.ts'

describeInstance('a toolbox', (open) => {
  let instance: TestInstance

  beforeAll(async () => {
    instance = await open()
  })

  test('offers at most as many tools as providers accept, actions before MCP tools', async () => {
    const { ctx } = instance
    const ada = await instance.person()
    const { workspaceId } = ada
    const { id: agentId } = await createAgent(ctx, ada, { name: 'Helper' })
    const now = ctx.clock.now()
    const tools = Array.from({ length: 150 }, (_, n) => {
      return { name: `tool_${n}`, title: null, description: 'One', inputSchema: { type: 'object' } }
    })
    await ctx.db.write(async (tx) => {
      await tx
        .insertInto('tool_servers')
        .values({
          id: newId(now),
          workspace_id: workspaceId,
          agent_id: agentId,
          name: 'many',
          url: 'https://mcp.example/',
          headers_sealed: null,
          header_names_json: '[]',
          allowed_tools_json: null,
          requires_confirmation: 0,
          timeout_ms: 1000,
          tools_json: JSON.stringify(tools),
          listed_at: now,
          error_code: null,
          created_at: now,
          updated_at: now,
        })
        .execute()
    })
    await createAction(ctx, workspaceId, agentId, {
      name: 'look',
      description: 'Looks',
      method: 'GET',
      url: 'https://a.example',
    })
    const messageId = newId(now)
    const turn = {
      workspaceId,
      agentId,
      agentName: 'Helper',
      sessionId: null,
      conversationId: newId(now),
      messageId,
      endUser: null,
      lastUserMessage: 'Hi',
      endsWithUser: true,
      credits: await TurnCredits.open(ctx, {
        consumer: { workspaceId, agentId, keyId: null, endUser: null },
        turnId: messageId,
        model: 'openai/mock',
        startedAt: now,
      }),
    }
    const toolbox = await openToolbox(ctx, turn, new AbortController().signal)
    toolbox.close()
    expect(toolbox.tools).toHaveLength(128)
    expect(toolbox.tools[0]?.name).toBe('look')
    expect(toolbox.tools.at(-1)?.name).toBe('many__tool_126')
  })
})

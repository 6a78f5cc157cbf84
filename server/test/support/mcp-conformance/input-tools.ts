import { randomBytes } from 'node:crypto'
import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** Seals the state that a tool needs when the client returns. */
export const stateCodec = createRequestStateCodec<State>({ key: randomBytes(32) })

interface State {
  readonly round: number
}

type Answers = ServerContext['mcpReq']['inputResponses']

const nothing = z.object({})
const nameSchema = objectOf({ name: { type: 'string' } })

/** Tools and a prompt that ask their client for input before they answer (revision 2026-07-28). */
export function addInputTools(server: McpServer): void {
  addSingleQuestions(server)
  addStatefulTools(server)
  addCapabilityTools(server)
  addPrompt(server)
  addOlderTools(server)
}

function addSingleQuestions(server: McpServer): void {
  for (const name of ['test_input_required_result_elicitation', 'test_streaming_elicitation'])
    tool(server, name, ({ inputResponses }) => {
      const name = textIn(inputResponses, 'user_name', 'name')
      return name === null
        ? inputRequired({ inputRequests: { user_name: ask('What is your name?', nameSchema) } })
        : say(`Hello, ${name}!`)
    })
  tool(server, 'test_input_required_result_sampling', ({ inputResponses }) => {
    const answer = inputResponse(inputResponses, 'capital_question')
    return answer.kind === 'sampling'
      ? say(JSON.stringify(answer.result.content))
      : inputRequired({
          inputRequests: { capital_question: sample('What is the capital of France?') },
        })
  })
  tool(server, 'test_input_required_result_list_roots', ({ inputResponses }) => {
    const answer = inputResponse(inputResponses, 'client_roots')
    return answer.kind === 'roots'
      ? say(answer.roots.map(({ uri }) => uri).join(', '))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  })
}

function addStatefulTools(server: McpServer): void {
  const confirm = { confirm: ask('Please confirm', objectOf({ ok: { type: 'boolean' } })) }
  for (const name of [
    'test_input_required_result_request_state',
    'test_input_required_result_tampered_state',
  ])
    tool(server, name, async ({ inputResponses, requestState }) => {
      const answered = acceptedContent(inputResponses, 'confirm') !== undefined
      if (answered && requestState<State>()?.round === 1) return say('state-ok')
      return inputRequired({
        inputRequests: confirm,
        requestState: await stateCodec.mint({ round: 1 }),
      })
    })
  tool(
    server,
    'test_input_required_result_multi_round',
    async ({ inputResponses, requestState }) => {
      const round = requestState<State>()?.round ?? 0
      const name = textIn(inputResponses, 'step1', 'name')
      const colour = textIn(inputResponses, 'step2', 'color')
      if (round === 2 && colour !== null) return say(`The colour is ${colour}.`)
      const state = async (next: number) => await stateCodec.mint({ round: next })
      const step2 = ask(
        'Step 2: What is your favorite color?',
        objectOf({ color: { type: 'string' } }),
      )
      if (round === 1 && name !== null)
        return inputRequired({ inputRequests: { step2 }, requestState: await state(2) })
      const step1 = ask('Step 1: What is your name?', nameSchema)
      return inputRequired({ inputRequests: { step1 }, requestState: await state(1) })
    },
  )
  tool(server, 'test_input_required_result_multiple_inputs', async ({ inputResponses }) => {
    const name = textIn(inputResponses, 'user_name', 'name')
    const greeting = inputResponse(inputResponses, 'greeting')
    const roots = inputResponse(inputResponses, 'client_roots')
    if (name !== null && greeting.kind === 'sampling' && roots.kind === 'roots')
      return say(`${name} has ${roots.roots.length} roots.`)
    const inputRequests = {
      user_name: ask('What is your name?', nameSchema),
      greeting: sample('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    }
    return inputRequired({ inputRequests, requestState: await stateCodec.mint({ round: 1 }) })
  })
}

function addCapabilityTools(server: McpServer): void {
  tool(server, 'test_missing_capability', () =>
    inputRequired({ inputRequests: { question: sample('Anything') } }),
  )
  tool(server, 'test_input_required_result_capabilities', () => {
    const able = server.server.getClientCapabilities() ?? {}
    const inputRequests = {
      ...(able.sampling === undefined ? {} : { question: sample('Anything') }),
      ...(able.elicitation === undefined ? {} : { user_name: ask('Your name?', nameSchema) }),
    }
    return Object.keys(inputRequests).length === 0
      ? say('This client can be asked nothing.')
      : inputRequired({ inputRequests })
  })
}

function addPrompt(server: McpServer): void {
  const about = { description: 'Asks for context', argsSchema: nothing }
  server.registerPrompt('test_input_required_result_prompt', about, (_input, { mcpReq }) => {
    const context = textIn(mcpReq.inputResponses, 'user_context', 'context')
    if (context !== null)
      return { messages: [{ role: 'user', content: { type: 'text', text: context } }] }
    const schema = objectOf({ context: { type: 'string' } })
    const user_context = ask('What context should the prompt use?', schema)
    return inputRequired({ inputRequests: { user_context } })
  })
}

/** Clients of the 2025 revisions were asked over a session, which this server does not keep. */
function addOlderTools(server: McpServer): void {
  const prompt = { description: 'Samples', inputSchema: z.object({ prompt: z.string() }) }
  server.registerTool('test_sampling', prompt, ({ prompt }) =>
    inputRequired({ inputRequests: { answer: sample(prompt) } }),
  )
  const message = { description: 'Elicits', inputSchema: z.object({ message: z.string() }) }
  server.registerTool('test_elicitation', message, ({ message }) =>
    inputRequired({ inputRequests: { answer: ask(message, nameSchema) } }),
  )
  for (const name of ['test_elicitation_sep1034_defaults', 'test_elicitation_sep1330_enums'])
    tool(server, name, () =>
      inputRequired({ inputRequests: { answer: ask('Choose', nameSchema) } }),
    )
}

type Result = ReturnType<typeof say> | ReturnType<typeof inputRequired>

function tool(
  server: McpServer,
  name: string,
  answer: (request: ServerContext['mcpReq']) => Result | Promise<Result>,
): void {
  const about = { description: 'Asks its client', inputSchema: nothing }
  server.registerTool(name, about, (_input, { mcpReq }) => answer(mcpReq))
}

function textIn(answers: Answers, key: string, field: string): string | null {
  const value = acceptedContent(answers, key)?.[field]
  return typeof value === 'string' ? value : null
}

type Properties = Record<string, { type: 'string' } | { type: 'boolean' }>

function objectOf(properties: Properties) {
  return { type: 'object' as const, properties, required: Object.keys(properties) }
}

function ask(message: string, requestedSchema: ReturnType<typeof objectOf>) {
  return inputRequired.elicit({ message, requestedSchema })
}

function sample(text: string, maxTokens = 100) {
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text } }]
  return inputRequired.createMessage({ messages, maxTokens })
}

function say(text: string) {
  return { content: [{ type: 'text' as const, text }] }
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Fault } from '#kernel/fault.ts'
import { toChatFault } from './fault-table.ts'
import { optionFields } from './read-options.ts'
import { plainFields, readChatRequest } from './read-request.ts'

const limits = { maxRequestMessages: 2_000, maxRequestParts: 10_000 }
const read = (fields: object) =>
  readChatRequest(
    { model: 'a-1', messages: [{ role: 'user', content: 'hello' }], ...fields },
    undefined,
    limits,
  )

function refusal(fields: object): string {
  try {
    read(fields)
  } catch (error) {
    if (error instanceof Fault) return toChatFault(error).message
  }
  return 'accepted'
}

const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
const asking = (part: object, role = 'user') => ({
  messages: [{ role, content: [part], tool_call_id: 'call_0' }],
})
const weather = { type: 'function', function: { name: 'weather' } }

describe('every field that is neither honoured nor harmless is refused by its name', () => {
  const table: [object, string][] = [
    [{ n: 2 }, '`n` must be 1: an agent gives one answer'],
    [{ temperature: 3 }, '`temperature` must be a number from 0 to 2'],
    [{ temperature: '1' }, '`temperature` must be a number from 0 to 2'],
    [{ top_p: 1.5 }, '`top_p` must be a number from 0 to 1'],
    [{ max_tokens: 0 }, '`max_tokens` must be a positive whole number'],
    [
      { max_tokens: 5, max_completion_tokens: 6 },
      '`max_tokens` and `max_completion_tokens` must not differ',
    ],
    [{ stop: ['1', '2', '3', '4', '5'] }, '`stop` must be a text or an array of at most 4 texts'],
    [{ seed: 0.5 }, '`seed` must be a whole number'],
    [{ presence_penalty: -3 }, '`presence_penalty` must be a number from -2 to 2'],
    [
      { logit_bias: { 5: 101 } },
      '`logit_bias` must be an object of numbers from -100 to 100, at most 1024',
    ],
    [
      { logprobs: true },
      '`logprobs` is not supported: an answer can consist of several calls of a model',
    ],
    [{ top_logprobs: 3 }, '`top_logprobs` is not supported'],
    [{ moderation: {} }, '`moderation` is not supported'],
    [
      { service_tier: 'flex' },
      '`service_tier` must be auto or default: the operator decides what the provider is paid',
    ],
    [{ modalities: ['audio'] }, '`modalities` must be ["text"]: an agent answers with text'],
    [{ audio: { voice: 'x' } }, '`audio` is not supported: an agent answers with text'],
    [
      { web_search_options: {} },
      '`web_search_options` is not supported: an agent answers from its knowledge and its actions',
    ],
    [{ functions: [] }, '`functions` is not supported: send `tools`'],
    [{ function_call: 'auto' }, '`function_call` is not supported: send `tool_choice`'],
    [
      { reasoning_effort: 'huge' },
      '`reasoning_effort` must be one of none, minimal, low, medium, high, xhigh',
    ],
    [
      { response_format: { type: 'xml' } },
      '`response_format.type` must be one of text, json_object, json_schema',
    ],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'a' } } },
      '`response_format.json_schema.schema` must be an object',
    ],
    [
      {
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {}, strict: 1 } },
      },
      '`response_format.json_schema.strict` must be a boolean',
    ],
    [
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'a', schema: {}, description: 1 },
        },
      },
      '`response_format.json_schema.description` must be a string',
    ],
    [
      { messages: [{ role: 'tool', content: '42' }] },
      '`messages[0].tool_call_id` must be a string of 1 to 256 characters',
    ],
    [
      asking({ type: 'file', file: { filename: 'a.txt', file_data: 'no base64!' } }),
      '`messages[0].content[0].file.file_data` must be base64',
    ],
    [
      asking({ type: 'file', file: { file_data: 'data:text/plain;base64,a%20b' } }),
      '`messages[0].content[0].file.file_data` must be base64',
    ],
    ...['system', 'developer', 'assistant', 'tool'].map((role): [object, string] => [
      asking(image, role),
      '`messages[0].content[0]` must be in a message of the role user',
    ]),
    [{ tools: [{ type: 'custom' }] }, '`tools[0].type` must be function'],
    [
      { tools: [{ type: 'function', function: { name: 'a b' } }] },
      '`tools[0].function.name` must be 1 to 64 letters, digits, _ or -',
    ],
    [{ tools: [weather, weather] }, '`tools` must not hold two tools with the name weather'],
    [{ tool_choice: 'auto' }, '`tool_choice` needs `tools`'],
    [
      { tools: [weather], tool_choice: { type: 'function', function: { name: 'other' } } },
      '`tool_choice` must name a function of `tools`',
    ],
    [{ parallel_tool_calls: false }, '`parallel_tool_calls` needs `tools`'],
    [{ stream_options: true }, '`stream_options` must be an object'],
    [{ user: 7 }, '`user` must be a string'],
  ]
  test.each(table)('%j', (fields, message) => {
    expect(refusal(fields)).toBe(message)
  })
})

test('null counts as absent, and fields that OpenAI does not know are ignored', () => {
  const fields = { n: null, temperature: null, tools: null, functions: null, made_up: { deep: 1 } }
  expect(read(fields)).not.toHaveProperty('options')
})

test('what a request asks for is read into the options of the turn', () => {
  const fields = {
    temperature: 0.2,
    max_completion_tokens: 50,
    stop: 'END',
    seed: 7,
    tools: [weather],
    tool_choice: { type: 'function', function: { name: 'weather' } },
    parallel_tool_calls: false,
    response_format: { type: 'json_object' },
  }
  expect(read(fields).options).toEqual({
    temperature: 0.2,
    maxOutputTokens: 50,
    sampling: { stop: ['END'], seed: 7 },
    tools: [
      {
        name: 'weather',
        description: '',
        parameters: { type: 'object', properties: {} },
        strict: false,
      },
    ],
    toolChoice: { name: 'weather' },
    parallelToolCalls: false,
    responseFormat: { type: 'json_object' },
  })
})

test('a choice of allowed tools leaves the others out', () => {
  const other = { type: 'function', function: { name: 'other' } }
  const choice = { mode: 'required', tools: [other] }
  const { options } = read({
    tools: [weather, other],
    tool_choice: { type: 'allowed_tools', allowed_tools: choice },
  })
  expect(options?.tools?.map(({ name }) => name)).toEqual(['other'])
  expect(options?.toolChoice).toBe('required')
})

/** The fields of OpenAI's own types, with those of the types within them. */
function fieldsOf(path: string, interfaces: RegExp): string[] {
  const client = dirname(createRequire(import.meta.url).resolve('openai'))
  const types = readFileSync(join(client, 'resources', path), 'utf8')
  const found = types
    .replaceAll(/^ {4,8}interface PromptCacheBreakpoint \{[^}]*\}/gm, '')
    .split(/^export (?:interface|declare namespace|type) /m)
    .filter((text) => interfaces.test(text))
  return [...new Set(found.join('').match(/^ {4,12}\w+(?=\??: )/gm))].map((name) => name.trim())
}

test.each([
  [
    'chat-api.md',
    'chat/completions/completions.d.ts',
    /^ChatCompletion(ContentPart\w*|(User|Assistant|Tool|System|Developer)MessageParam) /,
    ['prompt_cache_breakpoint', 'detail', 'input_audio', 'tool_call_id', 'refusal'],
  ],
  [
    'responses.md',
    'responses/responses.d.ts',
    /^ResponseInput(Text|Image|File) /,
    ['prompt_cache_breakpoint', 'detail', 'file_url'],
  ],
])('%s names every field of a message or a part of it', (name, path, interfaces, known) => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8')
  const code = (page.match(/```[^]*?```|`[^`]+`/g) ?? []).join('\n')
  const names = fieldsOf(path, interfaces)
  expect(names).toEqual(expect.arrayContaining(known))
  expect(names.filter((field) => !new RegExp(`\\b${field}\\b`).test(code))).toEqual([])
})

/** The fields of the first of OpenAI's types with this name. */
function ownFieldsOf(types: string, name: string): string[] {
  const type = new RegExp(`^( *)(?:export )?interface ${name} \\{[^]*?^\\1\\}`, 'm').exec(types)
  const [text = '', indent = ''] = type ?? []
  const fields = text.matchAll(new RegExp(`^${indent} {4}(\\w+)\\??: `, 'gm'))
  return [...fields].map(([, field = '']) => field)
}

test.each([
  ['chat-api.md', 'FunctionDefinition', 'shared', ['parameters', 'strict']],
  [
    'responses.md',
    'FunctionTool',
    'responses/responses',
    ['allowed_callers', 'async', 'defer_loading', 'output_schema'],
  ],
  ['responses.md', 'ResponseFunctionToolCall', 'responses/responses', ['namespace', 'caller']],
  ['responses.md', 'FunctionCallOutput', 'responses/responses', ['call_id', 'namespace', 'status']],
  [
    'responses.md',
    'ResponseRetrieveParamsBase',
    'responses/responses',
    ['include', 'include_obfuscation', 'starting_after'],
  ],
])('%s names every field of %s', (name, type, path, known) => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8')
  const code = (page.match(/```[^]*?```|`[^`]+`/g) ?? []).join('\n')
  const client = dirname(createRequire(import.meta.url).resolve('openai'))
  const types = readFileSync(join(client, 'resources', `${path}.d.ts`), 'utf8')
  const names = ownFieldsOf(types, type)
  expect(names).toEqual(expect.arrayContaining(known))
  expect(names.filter((field) => !new RegExp(`\\b${field}\\b`).test(code))).toEqual([])
})

/** The fields of a request that OpenAI's own client can send. */
function requestFields(path: string, type: string): string[] {
  const client = dirname(createRequire(import.meta.url).resolve('openai'))
  const types = readFileSync(join(client, 'resources', path), 'utf8')
  const [, body = ''] = types.split(`export interface ${type} {`)
  const [fields = ''] = body.split('\n}')
  return [...fields.matchAll(/^ {4}(\w+)\??:/gm)].map(([, field = '']) => field)
}

const chatFields = ['chat/completions/completions.d.ts', 'ChatCompletionCreateParamsBase'] as const

test.each([
  ['chat-api.md', ...chatFields, 'messages'],
  ['responses.md', 'responses/responses.d.ts', 'ResponseCreateParamsBase', 'input'],
])('%s names every field that OpenAI’s own client can send', (name, path, type, known) => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8')
  const names = requestFields(path, type)
  expect(names).toContain(known)
  expect(names.length).toBeGreaterThan(30)
  // A field of objects is also named with its own field or value.
  const isNamed = (field: string) => new RegExp(`\`${field}[\`.:]`).test(page)
  expect(names.filter((field) => !isNamed(field))).toEqual([])
})

test('the fields that a chat request reads, refuses or ignores are those that OpenAI’s own client can send', () => {
  const known = [...plainFields, ...optionFields]
  expect(known.toSorted()).toEqual([...requestFields(...chatFields), 'chatSessionId'].toSorted())
})

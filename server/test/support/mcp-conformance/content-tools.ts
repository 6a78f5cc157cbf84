import { setTimeout as delay } from 'node:timers/promises'
import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** One red pixel. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
/** A WAV file without samples. */
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const pauseMs = 50

/** Tools that return every kind of content, report progress, log and fail. */
export function addContentTools(server: McpServer): void {
  const image = { type: 'image', data: pixel, mimeType: 'image/png' } as const
  server.registerTool('test_simple_text', about('Says one thing'), () => ({
    content: [{ type: 'text', text: 'This is a simple text response for testing.' }],
  }))
  server.registerTool('test_image_content', about('Shows an image'), () => ({ content: [image] }))
  server.registerTool('test_audio_content', about('Plays a sound'), () => ({
    content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }],
  }))
  server.registerTool('test_embedded_resource', about('Embeds a resource'), () => ({
    content: [
      resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ],
  }))
  server.registerTool('test_multiple_content_types', about('Mixes kinds of content'), () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }))
  server.registerTool('test_error_handling', about('Fails'), () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  addNotifyingTools(server)
  addSchemaTool(server)
}

function addNotifyingTools(server: McpServer): void {
  const nothing = z.object({})
  const log = { ...about('Logs what it does'), inputSchema: nothing }
  for (const name of ['test_tool_with_logging', 'test_logging_tool'])
    server.registerTool(name, log, async (_input, { mcpReq }) => {
      for (const line of ['started', 'processing data', 'completed']) {
        const words = line === 'processing data' ? `Tool ${line}` : `Tool execution ${line}`
        await mcpReq.log('info', words)
        await delay(pauseMs)
      }
      return done
    })
  const progress = { ...about('Reports progress'), inputSchema: nothing }
  server.registerTool('test_tool_with_progress', progress, async (_input, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const step of [0, 50, 100]) {
      const params = { progressToken: progressToken ?? '', progress: step, total: 100 }
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params })
      await delay(pauseMs)
    }
    return done
  })
}

/** Keywords of JSON Schema 2020-12 that a server must pass on unchanged. */
function addSchemaTool(server: McpServer): void {
  const text = { type: 'string' }
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object' as const,
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: text, city: text },
      },
    },
    properties: {
      name: text,
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: text,
      email: text,
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema (Core §10.2.2.2)
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  }
  const described = { ...about('Keeps its schema'), inputSchema: fromJsonSchema(schema) }
  server.registerTool('json_schema_2020_12_tool', described, () => done)
}

const done = { content: [{ type: 'text' as const, text: 'Done.' }] }

function about(description: string) {
  return { description }
}

function resource(uri: string, mimeType: string, text: string) {
  return { type: 'resource' as const, resource: { uri, mimeType, text } }
}

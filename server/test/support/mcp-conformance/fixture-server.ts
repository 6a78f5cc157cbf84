import { McpServer, ResourceTemplate, type ServerOptions } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { MakeServer } from '#surfaces/mcp/index.ts'
import { addContentTools, pixel } from './content-tools.ts'
import { addInputTools, stateCodec } from './input-tools.ts'

/**
 * The server that the conformance suite requires: tools, resources and prompts with the names and
 * answers that its scenarios describe. Parley's own catalogue has no resources or prompts, so only
 * tests mount this server, on the production transport and authorization.
 */
export const makeFixtureServer: MakeServer = () => {
  const server = new McpServer({ name: 'parley-conformance', version: '1' }, options)
  addContentTools(server)
  addInputTools(server)
  addResources(server)
  addPrompts(server)
  return server
}

const noChanges = { listChanged: false }

const options: ServerOptions = {
  capabilities: {
    tools: noChanges,
    resources: { ...noChanges, subscribe: true },
    prompts: noChanges,
    logging: {},
    completions: {},
  },
  requestState: { verify: stateCodec.verify },
}

function addResources(server: McpServer): void {
  const text = { description: 'A text', mimeType: 'text/plain' }
  server.registerResource('text', 'test://static-text', text, ({ href }) =>
    contents(href, 'text/plain', 'This is the content of the static text resource.'),
  )
  const image = { description: 'An image', mimeType: 'image/png' }
  server.registerResource('image', 'test://static-binary', image, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: pixel }],
  }))
  server.registerResource('watched', 'test://watched-resource', text, ({ href }) =>
    contents(href, 'text/plain', 'Watched.'),
  )
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  const json = { description: 'A record', mimeType: 'application/json' }
  server.registerResource('record', template, json, ({ href }, { id }) => {
    const record = { id, templateTest: true, data: `Data for ID: ${String(id)}` }
    return contents(href, 'application/json', JSON.stringify(record))
  })
  // The low-level server keeps no state between requests: it may accept the call without storing
  // it.
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
}

function contents(uri: string, mimeType: string, text: string) {
  return { contents: [{ uri, mimeType, text }] }
}

function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'Simple' }, () =>
    said({ type: 'text', text: 'This is a simple prompt for testing.' }),
  )
  const withArguments = {
    description: 'With arguments',
    argsSchema: z.object({ arg1: z.string(), arg2: z.string() }),
  }
  server.registerPrompt('test_prompt_with_arguments', withArguments, ({ arg1, arg2 }) =>
    said({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  )
  const withResource = {
    description: 'With a resource',
    argsSchema: z.object({ resourceUri: z.string() }),
  }
  server.registerPrompt('test_prompt_with_embedded_resource', withResource, ({ resourceUri }) => {
    const text = 'Embedded resource content for testing.'
    return said(
      { type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text } },
      { type: 'text', text: 'Please process the embedded resource above.' },
    )
  })
  server.registerPrompt('test_prompt_with_image', { description: 'With an image' }, () =>
    said(
      { type: 'image', data: pixel, mimeType: 'image/png' },
      { type: 'text', text: 'Please analyze the image above.' },
    ),
  )
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }))
}

type Content =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; text: string } }

function said(...parts: Content[]) {
  return { messages: parts.map((content) => ({ role: 'user' as const, content })) }
}

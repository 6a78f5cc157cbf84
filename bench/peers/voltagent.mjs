/**
 * An agent server that stores its conversations in SQLite, as VoltAgent's guide sets it up.
 *
 *   node voltagent.mjs URL-OF-THE-MODEL FOLDER PORT
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent, Memory, VoltAgent } from '@voltagent/core'
import { LibSQLMemoryAdapter } from '@voltagent/libsql'
import { createPinoLogger } from '@voltagent/logger'
import { honoServer } from '@voltagent/server-hono'

globalThis.AI_SDK_LOG_WARNINGS = false
const [modelUrl, folder, port] = process.argv.slice(2)
const logger = createPinoLogger({ name: 'bench', level: 'error' })
const provider = createOpenAICompatible({
  name: 'mock',
  baseURL: modelUrl,
  apiKey: 'bench',
  includeUsage: true,
})
const memory = new Memory({
  storage: new LibSQLMemoryAdapter({ url: `file:${folder}/memory.db`, logger }),
})
const agent = (name) =>
  new Agent({ name, instructions: 'You help.', model: provider.chatModel(name), memory, logger })

export const server = new VoltAgent({
  agents: { mock: agent('mock'), paced: agent('paced') },
  logger,
  server: honoServer({ port: Number(port), hostname: '127.0.0.1', enableSwaggerUI: false }),
})

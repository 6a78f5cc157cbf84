import type { SourceOrigin } from '#features/ingestion/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { AgentBundle } from './agent-bundle.ts'
import {
  documentFormat,
  documentVersion,
  type AgentDocument,
  type DocumentSource,
} from './agent-document.ts'
import type { PortableTools } from './portable-tools.ts'
import { transferFaults } from './transfer-faults.ts'

/**
 * An agent as one JSON document. It has the names of secrets, not their values.
 *
 * @throws Fault knowledge_too_large when it would be too large to import
 */
export async function writeAgentDocument(
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  { settings, folder, draft, tools, shop, knowledge }: AgentBundle,
): Promise<Readonly<Partial<Record<keyof AgentDocument, unknown>>>> {
  const limit = config.maxImportBytes
  const tooLarge = new Fault(transferFaults.knowledge_too_large, { limit_bytes: limit })
  const sources = knowledge?.sources ?? []
  // Checked before a byte is read, so that large knowledge does not fill the memory.
  if (sources.reduce((sum, { byteLength }) => sum + byteLength, 0) > limit) throw tooLarge
  // Not parsed: stored data is exported as it is, even if it exceeds a newer limit.
  const document = {
    format: documentFormat,
    version: documentVersion,
    exported_at: new Date(clock.now()).toISOString(),
    agent: settings,
    // An older Parley reads documents without folders and drafts.
    ...(folder === '' ? {} : { folder }),
    ...(Object.keys(draft).length === 0 ? {} : { draft }),
    ...writeTools(tools),
    commerce: shop.settings,
    products: shop.products,
    knowledge: knowledge === null ? null : await writeSources(sources),
    left_out: knowledge?.leftOut ?? [],
  }
  if (documentBytes(document) > limit && knowledge !== null) throw tooLarge
  return document
}

/** UTF-8 bytes of a document as JSON without white space. */
export function documentBytes(document: unknown): number {
  return Buffer.byteLength(JSON.stringify(document))
}

/** Lists every field, so that no secret can slip into a document. */
function writeTools({ actions, variables, servers }: PortableTools) {
  return {
    actions,
    variables: variables.map(({ name, kind, description, value, hosts }) => ({
      name,
      type: kind,
      description,
      value,
      hosts,
    })),
    mcp_servers: servers.map((server) => ({
      name: server.name,
      url: server.url,
      header_names: server.headerNames,
      query_names: server.queryNames,
      allowed_tools: server.allowedTools,
      requires_confirmation: server.requiresConfirmation,
      timeout_ms: server.timeoutMs,
    })),
  }
}

async function writeSources(origins: readonly SourceOrigin[]): Promise<DocumentSource[]> {
  const written: DocumentSource[] = []
  for (const origin of origins) written.push(await writeSource(origin))
  return written
}

async function writeSource({ source, bytes }: SourceOrigin): Promise<DocumentSource> {
  if (source.kind === 'text') {
    const { kind, title, url, isAnswer } = source
    const text = (await allOf(bytes())).toString('utf8')
    return { kind, title, text, url, ...(isAnswer && { answer: true }) }
  }
  if (source.kind === 'file') {
    const { kind, title, filename, mediaType } = source
    const content = (await allOf(bytes())).toString('base64')
    return { kind, title, filename, media_type: mediaType, content_base64: content }
  }
  const { kind, url, crawl, refreshEvery } = source
  return {
    kind,
    title: crawl.title,
    url,
    crawl_depth: crawl.depth,
    max_pages: crawl.maxPages,
    include: crawl.include,
    exclude: crawl.exclude,
    refresh_every: refreshEvery,
  }
}

async function allOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(pieces))
}

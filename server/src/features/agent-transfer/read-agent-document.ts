import type { z } from 'zod'
import { actionFaults, checkDefinition } from '#features/actions/index.ts'
import {
  checkPortableSource,
  ingestionFaults,
  type PortableSource,
  type SourceOrigin,
} from '#features/ingestion/index.ts'
import { Fault } from '#kernel/fault.ts'
import { camelKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import type { AgentBundle } from './agent-bundle.ts'
import {
  agentDocument,
  documentFormat,
  documentVersion,
  type AgentDocument,
  type DocumentSource,
} from './agent-document.ts'
import type { PortableTools } from './portable-tools.ts'
import { transferFaults } from './transfer-faults.ts'
import { documentBytes } from './write-agent-document.ts'

/** The most issues reported at once: a mistake may repeat a hundred times. */
const maxIssues = 20

/**
 * Reads a document and checks all of it before anything is created.
 *
 * @throws Fault document_too_large, document_too_new, document_invalid
 */
export function readAgentDocument(
  ctx: Pick<Context, 'config'>,
  given: Readonly<Record<string, unknown>>,
): AgentBundle {
  requireSize(ctx, given)
  requireKnownVersion(given)
  const parsed = agentDocument.safeParse(given)
  if (!parsed.success) throw invalid(parsed.error.issues.map(issueText))
  const document = parsed.data
  const sources = document.knowledge?.map(originOf) ?? null
  const issues = [
    ...document.actions.flatMap((definition, index) =>
      issuesOf(`actions.${index}`, () => checkDefinition(definition)),
    ),
    ...(sources ?? []).flatMap((origin, index) =>
      issuesOf(`knowledge.${index}`, () => checkPortableSource(ctx, origin)),
    ),
  ]
  if (issues.length > 0) throw invalid(issues)
  return {
    settings: document.agent,
    tools: toolsOf(document),
    shop: { settings: document.commerce, products: document.products },
    knowledge: sources === null ? null : { sources, leftOut: [] },
  }
}

function requireSize({ config }: Pick<Context, 'config'>, given: unknown): void {
  const limit = config.maxImportBytes
  const bytes = documentBytes(given)
  if (bytes <= limit) return
  throw new Fault(transferFaults.document_too_large, { bytes, limit_bytes: limit })
}

/** Checked first: a newer Parley's document is not wrong, and listing its differences would mislead. */
function requireKnownVersion({ format, version }: Readonly<Record<string, unknown>>): void {
  if (format !== documentFormat) throw invalid([`format: must be "${documentFormat}"`])
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw invalid(['version: must be a whole number from 1'])
  if (version > documentVersion)
    throw new Fault(transferFaults.document_too_new, { version, known: documentVersion })
}

function toolsOf({ actions, variables, mcp_servers }: AgentDocument): PortableTools {
  return {
    actions,
    variables: variables.map(({ type, ...variable }) => ({
      ...variable,
      kind: type,
      sealed: null,
    })),
    servers: mcp_servers.map((server) => ({ ...camelKeys(server), sealed: null })),
  }
}

function originOf(given: DocumentSource): SourceOrigin {
  const bytes =
    given.kind === 'text'
      ? Buffer.from(given.text)
      : given.kind === 'file'
        ? Buffer.from(given.content_base64, 'base64')
        : Buffer.alloc(0)
  return {
    source: portable(given),
    byteLength: bytes.length,
    bytes: async function* whole() {
      yield bytes
    },
  }
}

function portable(given: DocumentSource): PortableSource {
  if (given.kind === 'text') return { kind: given.kind, title: given.title, url: given.url }
  if (given.kind === 'file') {
    const { kind, title, filename, media_type: mediaType } = given
    return { kind, title, filename, mediaType }
  }
  const { kind, url, title, include, exclude } = given
  const crawl = { depth: given.crawl_depth, maxPages: given.max_pages, include, exclude, title }
  return { kind, url, crawl, refreshEvery: given.refresh_every }
}

/** The issues that a check of one part reports, with the part's path. */
function issuesOf(path: string, check: () => void): string[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { issues } = error.facts
    if (error.code === actionFaults.action_invalid.code && Array.isArray(issues))
      return issues.map((issue) => `${path}.${issue}`)
    return [`${path}: ${problems[error.code] ?? error.code}`]
  }
}

const problems: Readonly<Record<string, string>> = {
  [ingestionFaults.source_empty.code]: 'is empty',
  [ingestionFaults.source_too_large.code]:
    'is larger than MAX_TEXT_SOURCE_BYTES or MAX_FILE_SOURCE_BYTES allows',
  [ingestionFaults.source_format_unknown.code]: 'is a file of a kind that cannot be read',
  [ingestionFaults.source_address_invalid.code]:
    'url must be an http(s) address without user and password',
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`
}

function invalid(issues: readonly string[]): Fault {
  const more = issues.length - maxIssues
  const listed = more > 0 ? [...issues.slice(0, maxIssues), `and ${more} more`] : issues
  return new Fault(transferFaults.document_invalid, { issues: listed })
}

import { actionFaults, checkDefinition } from '#features/actions/index.ts'
import { agentSettings } from '#features/agents/index.ts'
import {
  checkPortableSource,
  ingestionFaults,
  type PortableSource,
  type SourceOrigin,
} from '#features/ingestion/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { Fault } from '#kernel/fault.ts'
import { camelKeys } from '#kernel/key-case.ts'
import { visitInSlices } from '#kernel/visit-in-slices.ts'
import type { Context } from '#platform/context.ts'
import type { AgentBundle } from './agent-bundle.ts'
import {
  documentFormat,
  documentVersion,
  type AgentDocument,
  type DocumentSource,
} from './agent-document.ts'
import { parseDocument } from './parse-document.ts'
import type { PortableTools } from './portable-tools.ts'
import { transferFaults } from './transfer-faults.ts'

/** The most issues reported at once: a mistake may repeat a hundred times. */
const maxIssues = 20

/**
 * Reads a document and checks all of it before anything is created.
 *
 * @throws Fault document_too_large, document_too_new, document_invalid
 */
export async function readAgentDocument(
  ctx: Pick<Context, 'config'>,
  given: Readonly<Record<string, unknown>>,
): Promise<AgentBundle> {
  await requireSize(ctx, given)
  requireKnownVersion(given)
  const { document, issues: found } = await parseDocument(given)
  if (document === null) throw invalid(found)
  const issues: string[] = []
  const slice = new CpuSlice()
  for (const [index, definition] of document.actions.entries()) {
    if (slice.isOver) await slice.next()
    issues.push(...issuesOf(`actions.${index}`, () => checkDefinition(definition)))
  }
  const sources: SourceOrigin[] | null = document.knowledge === null ? null : []
  for (const [index, source] of document.knowledge?.entries() ?? []) {
    if (slice.isOver) await slice.next()
    const path = `knowledge.${index}`
    if (source.kind === 'file' && !(await isBase64(source.content_base64)))
      issues.push(`${path}.content_base64: Invalid base64-encoded string`)
    const origin = originOf(source)
    issues.push(...issuesOf(path, () => checkPortableSource(ctx, origin)))
    sources?.push(origin)
  }
  if (issues.length > 0) throw invalid(issues)
  return {
    settings: withSuggestions(document),
    folder: document.folder ?? '',
    draft: document.draft ?? {},
    tools: toolsOf(document),
    shop: { settings: document.commerce, products: document.products },
    knowledge: sources === null ? null : { sources, leftOut: [] },
    firstStep: document.knowledge?.some(isWebsite) === true ? null : (document.first_step ?? null),
  }
}

function isWebsite({ kind }: DocumentSource): boolean {
  return kind === 'url' || kind === 'sitemap'
}

/** A visitor is offered the sample questions of an agent that has no suggestions. */
function withSuggestions({ agent, sample_questions: samples = [] }: AgentDocument) {
  if (agent.suggestions.length > 0) return agent
  const fitting = samples.map((question) => question.trim()).filter(isSuggestion)
  return { ...agent, suggestions: fitting.slice(0, mostSuggestions) }
}

const mostSuggestions = 10

function isSuggestion(question: string): boolean {
  return agentSettings.shape.suggestions.safeParse([question]).success
}

async function requireSize({ config }: Pick<Context, 'config'>, given: unknown): Promise<void> {
  const limit = config.maxImportBytes
  const bytes = await jsonBytes(given)
  if (bytes <= limit) return
  throw new Fault(transferFaults.document_too_large, { bytes, limit_bytes: limit })
}

/** UTF-8 bytes of a value as JSON without white space. */
async function jsonBytes(value: unknown): Promise<number> {
  let bytes = 0
  await visitInSlices(value, (part) => {
    // Each part is followed by a comma, a colon or the end of its list or object.
    if (typeof part === 'string') bytes += Buffer.byteLength(JSON.stringify(part)) + 1
    else if (typeof part === 'object' && part !== null) bytes += 2
    else bytes += String(part).length + 1
  })
  return bytes
}

const base64Piece = 64 * 1024

/** RFC 4648 §4, with padding. */
async function isBase64(text: string): Promise<boolean> {
  if (text.length % 4 !== 0) return false
  const slice = new CpuSlice()
  for (let at = 0; at < text.length; at += base64Piece) {
    if (slice.isOver) await slice.next()
    const isLast = at + base64Piece >= text.length
    const allowed = isLast ? /^[A-Za-z0-9+/]*={0,2}$/ : /^[A-Za-z0-9+/]*$/
    if (!allowed.test(text.slice(at, at + base64Piece))) return false
  }
  return true
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
  if (given.kind === 'text') {
    const { kind, title, url, answer } = given
    return { kind, title, url, isAnswer: answer === true }
  }
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

function invalid(issues: readonly string[]): Fault {
  const more = issues.length - maxIssues
  const listed = more > 0 ? [...issues.slice(0, maxIssues), `and ${more} more`] : issues
  return new Fault(transferFaults.document_invalid, { issues: listed })
}

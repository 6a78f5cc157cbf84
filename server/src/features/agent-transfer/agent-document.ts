import { z } from 'zod'
import { actionDefinition, maxActions } from '#features/actions/index.ts'
import { agentPatch, agentSettings, folderName } from '#features/agents/index.ts'
import { commerceSettings, maxPortableProducts, productFields } from '#features/catalog/index.ts'
import { refreshIntervals } from '#features/knowledge/index.ts'
import { maxToolServers, toolServerName } from '#features/tool-servers/index.ts'
import {
  maxVariables,
  variableKinds,
  variableName,
  variableProblem,
  maxSecretHosts,
} from '#features/variables/index.ts'

/** Marks a document as an exported agent. */
export const documentFormat = 'parley.agent'

/** Increased when an older Parley would misread a document. */
export const documentVersion = 1

const text = (most: number) => z.string().min(1).max(most)
const names = z.array(text(200)).max(100).default([])

export const documentVariable = z
  .strictObject({
    name: variableName,
    type: z.enum(variableKinds),
    description: z.string().max(2000).default(''),
    /** Null for a secret. */
    value: z
      .union([z.string().max(8000), z.number(), z.boolean()])
      .nullable()
      .default(null),
    hosts: z.array(text(255)).max(maxSecretHosts).nullable().default(null),
  })
  .superRefine(({ type, value, hosts }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (type !== 'secret' && hosts !== null) refuse('hosts', 'only a secret has hosts')
    if (type === 'secret') {
      if (value !== null) refuse('value', 'must be null: set a secret after the import')
      return
    }
    const problem = variableProblem(type, value)
    if (problem !== null) refuse('value', problem)
  })

const serverUrl = text(2000).refine((address) => {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return url.username === '' && url.password === '' && url.search === ''
}, 'must be an http(s) address without user, password and query')

export const documentServer = z.strictObject({
  name: toolServerName,
  url: serverUrl,
  header_names: names,
  query_names: names,
  allowed_tools: z.array(text(200)).max(200).nullable().default(null),
  requires_confirmation: z.boolean().default(false),
  timeout_ms: z.int().min(1).max(120_000).default(20_000),
})

const crawl = {
  crawl_depth: z.int().min(0).max(10).default(0),
  max_pages: z.int().min(1).max(5000).default(200),
}

const pages = {
  title: text(500).nullable().default(null),
  url: text(2000),
  ...crawl,
  include: z.array(text(500)).max(100).default([]),
  exclude: z.array(text(500)).max(100).default([]),
  refresh_every: z.enum(refreshIntervals).nullable().default(null),
}

export const documentSource = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('text'),
    title: text(500),
    text: z.string().min(1),
    url: text(2000).nullable().default(null),
    /** Of a source of the kind `answer`. */
    answer: z.literal(true).optional(),
  }),
  z.strictObject({
    kind: z.literal('file'),
    title: text(500),
    filename: text(255),
    media_type: text(255).nullable().default(null),
    /** Checked while it is read, because it may be long. */
    content_base64: z.string(),
  }),
  z.strictObject({ kind: z.literal('url'), ...pages }),
  z.strictObject({ kind: z.literal('sitemap'), ...pages }),
])

export const documentProduct = z.strictObject({
  name: productFields.name,
  description: productFields.description.default(''),
  sku: productFields.sku.default(null),
  price_amount: productFields.price_amount,
  currency: productFields.currency,
  images: productFields.images.default([]),
  categories: productFields.categories.default([]),
  stock: productFields.stock.default(null),
  fulfillment_type: productFields.fulfillment_type.default('shipping'),
  tax_code: productFields.tax_code.default(null),
  active: productFields.active.default(true),
})

/** Unknown settings are refused in `retrieval` too; stored settings ignore them there. */
const settings = z.strictObject({
  ...agentSettings.shape,
  retrieval: agentSettings.shape.retrieval.unwrap().strict().prefault({}),
})

export const documentAction = z.strictObject(actionDefinition.shape)

/** The lists of a document and the most items of each. Each item has a schema of its own above. */
const list = (most: number) => z.array(z.unknown()).max(most)
export const documentLists = z.object({
  actions: list(maxActions).default([]),
  variables: list(maxVariables).default([]),
  mcp_servers: list(maxToolServers).default([]),
  products: list(maxPortableProducts).default([]),
  /** Null when it was not asked for. */
  knowledge: list(100_000).nullable().default(null),
})

/** The rest of a document: an agent as a file, without secrets, ids and conversations. */
export const documentHead = z.strictObject({
  format: z.literal(documentFormat),
  version: z.literal(documentVersion),
  exported_at: z.iso.datetime({ offset: true }).optional(),
  agent: settings,
  /** Where people find the agent. */
  folder: folderName.optional(),
  /** Changed settings that are not published. */
  draft: z.strictObject(agentPatch.shape).optional(),
  commerce: z.strictObject(commerceSettings.shape).nullable().default(null),
  /** Titles of sources that could not be exported. */
  left_out: z.array(z.string()).default([]),
  /** What a person may ask to try the agent, as in `dashboard/starts`: suggestions, if it has none. */
  sample_questions: z.array(text(500)).max(50).optional(),
  /** How much of the importer's website to read first. Their address is not known to the document. */
  first_step: z.strictObject({ kind: z.literal('url'), ...crawl }).optional(),
})

export interface AgentDocument extends z.output<typeof documentHead> {
  readonly actions: readonly z.output<typeof documentAction>[]
  readonly variables: readonly z.output<typeof documentVariable>[]
  readonly mcp_servers: readonly z.output<typeof documentServer>[]
  readonly products: readonly z.output<typeof documentProduct>[]
  readonly knowledge: readonly DocumentSource[] | null
}

export type FirstStep = NonNullable<z.output<typeof documentHead>['first_step']>

export type DocumentSource = z.output<typeof documentSource>

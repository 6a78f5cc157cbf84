import { z } from 'zod'
import { actionDefinition, maxActions } from '#features/actions/index.ts'
import { agentSettings } from '#features/agents/index.ts'
import { commerceSettings, maxPortableProducts, productFields } from '#features/catalog/index.ts'
import { refreshIntervals } from '#features/knowledge/index.ts'
import { maxToolServers, toolServerName } from '#features/tool-servers/index.ts'
import {
  maxVariables,
  variableKinds,
  variableName,
  variableProblem,
} from '#features/variables/index.ts'

/** Marks a document as an exported agent. */
export const documentFormat = 'parley.agent'

/** Increased when an older Parley would misread a document. */
export const documentVersion = 1

const text = (most: number) => z.string().min(1).max(most)
const names = z.array(text(200)).max(100).default([])

const variable = z
  .strictObject({
    name: variableName,
    type: z.enum(variableKinds),
    description: z.string().max(2000).default(''),
    /** Null for a secret. */
    value: z
      .union([z.string().max(8000), z.number(), z.boolean()])
      .nullable()
      .default(null),
    hosts: z.array(text(255)).max(20).nullable().default(null),
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

const server = z.strictObject({
  name: toolServerName,
  url: serverUrl,
  header_names: names,
  query_names: names,
  allowed_tools: z.array(text(200)).max(200).nullable().default(null),
  requires_confirmation: z.boolean().default(false),
  timeout_ms: z.int().min(1).max(120_000).default(20_000),
})

const pages = {
  title: text(500).nullable().default(null),
  url: text(2000),
  crawl_depth: z.int().min(0).max(10).default(0),
  max_pages: z.int().min(1).max(5000).default(200),
  include: z.array(text(500)).max(100).default([]),
  exclude: z.array(text(500)).max(100).default([]),
  refresh_every: z.enum(refreshIntervals).nullable().default(null),
}

const source = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('text'),
    title: text(500),
    text: z.string().min(1),
    url: text(2000).nullable().default(null),
  }),
  z.strictObject({
    kind: z.literal('file'),
    title: text(500),
    filename: text(255),
    media_type: text(255).nullable().default(null),
    content_base64: z.base64(),
  }),
  z.strictObject({ kind: z.literal('url'), ...pages }),
  z.strictObject({ kind: z.literal('sitemap'), ...pages }),
])

const product = z.strictObject({
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

/** Refuses two items with the same name. */
function different<Item>(nameOf: (item: Item) => string | null) {
  return (items: readonly Item[], context: z.RefinementCtx) => {
    const seen = new Set<string>()
    for (const [index, item] of items.entries()) {
      const name = nameOf(item)
      if (name === null) continue
      if (seen.has(name))
        context.addIssue({ code: 'custom', path: [index], message: `${name} occurs twice` })
      seen.add(name)
    }
  }
}

const byName = different<{ readonly name: string }>(({ name }) => name)

/** Unknown settings are refused in `retrieval` too; stored settings ignore them there. */
const settings = z.strictObject({
  ...agentSettings.shape,
  retrieval: agentSettings.shape.retrieval.unwrap().strict().prefault({}),
})

/** An agent as a file, without secrets, ids and conversations. */
export const agentDocument = z.strictObject({
  format: z.literal(documentFormat),
  version: z.literal(documentVersion),
  exported_at: z.iso.datetime({ offset: true }).optional(),
  agent: settings,
  actions: z
    .array(z.strictObject(actionDefinition.shape))
    .max(maxActions)
    .superRefine(byName)
    .default([]),
  variables: z.array(variable).max(maxVariables).superRefine(byName).default([]),
  mcp_servers: z.array(server).max(maxToolServers).superRefine(byName).default([]),
  commerce: z.strictObject(commerceSettings.shape).nullable().default(null),
  products: z
    .array(product)
    .max(maxPortableProducts)
    .superRefine(different(({ sku }) => sku))
    .default([]),
  /** Null when it was not asked for. */
  knowledge: z.array(source).max(100_000).nullable().default(null),
  /** Titles of sources that could not be exported. */
  left_out: z.array(z.string()).default([]),
})

export type AgentDocument = z.output<typeof agentDocument>
export type DocumentSource = z.output<typeof source>

import { z } from 'zod'
import {
  deleteProduct,
  importProducts,
  listProducts,
  productFields,
  productPatch,
  upsertProduct,
  type Product,
} from '#features/catalog/index.ts'
import { aProduct, anAgent } from './acts-on.ts'
import { changes, creates, type Audit } from './audited.ts'
import {
  appId,
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  peopleOnly,
  recordId,
  timestamp,
} from './operation.ts'
import { showAs } from './show-as.ts'

const product = z.strictObject({
  id: recordId,
  app_id: recordId,
  name: z.string(),
  description: z.string(),
  sku: z.string().nullable(),
  price_amount: z.int().describe('In minor units'),
  currency: z.string(),
  images: z.array(z.string()),
  categories: z.array(z.string()),
  stock: z.int().nullable().describe('null: not counted'),
  fulfillment_type: productFields.fulfillment_type,
  tax_code: z.string().nullable(),
  active: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
})

const named = showAs(product)

function show({ priceMinor: priceAmount, ...found }: Product) {
  return named({ ...found, priceAmount })
}

/** The id of a new product, or of one found by its sku, is known only afterwards. */
const upsertsProduct: Audit<{ readonly product_id?: string | undefined }> = {
  ...creates('products'),
  record: ({ workspaceId, input, createdId }) => {
    const id = input.product_id ?? createdId
    return id === null ? null : { table: 'products', where: { id, workspace_id: workspaceId } }
  },
}

const importedCounts = z.strictObject({ created: z.int(), updated: z.int() })

export const productOperations = [
  defineOperation({
    name: 'list_products',
    title: 'List products',
    description: 'Lists the products of an agent, newest first. q searches their words.',
    toolset: 'apps',
    scope: 'apps:read',
    hints: hints.read,
    input: z.object({ app_id: appId, q: z.string().max(200).optional(), ...paging }),
    output: listOf(product),
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, input) =>
      listAnswer(await listProducts(ctx, workspaceId, input.app_id, input), show),
  }),
  defineOperation({
    name: 'upsert_product',
    title: 'Create or update product',
    description:
      'Changes the given fields of the product with this product_id or sku, or creates a new one, which needs name and price_amount.',
    toolset: 'apps',
    scope: 'apps:write',
    hints: { ...hints.update, idempotent: false },
    audit: upsertsProduct,
    input: productPatch.extend({ app_id: appId, product_id: recordId.optional() }),
    output: product,
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, { app_id, product_id, ...patch }) =>
      show(await upsertProduct(ctx, workspaceId, app_id, { ...patch, productId: product_id })),
  }),
  defineOperation({
    name: 'delete_product',
    title: 'Delete product',
    description: 'Deletes a product for good. Open checkouts with it cannot be paid.',
    toolset: 'apps',
    scope: 'apps:write',
    hints: hints.remove,
    audit: changes('products', 'product_id'),
    input: z.object({ product_id: recordId }),
    output: product,
    actsOn: aProduct,
    run: async (ctx, { workspaceId }, input) =>
      show(await deleteProduct(ctx, workspaceId, input.product_id)),
  }),
  defineOperation({
    name: 'import_products',
    title: 'Import products',
    description:
      'Upserts a product for each line of a CSV file, all or none. The header names fields of upsert_product.',
    toolset: 'apps',
    scope: 'apps:write',
    surfaces: peopleOnly,
    hints: { ...hints.update, idempotent: false },
    audit: { notes: ['app_id'], summarize: (result) => importedCounts.parse(result) },
    input: z.object({
      app_id: appId,
      csv: z.string().min(1).max(4_000_000).describe('At most 5000 lines; lists use |'),
    }),
    output: importedCounts,
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, input) => ({
      ...(await importProducts(ctx, workspaceId, input.app_id, input.csv)),
    }),
  }),
]

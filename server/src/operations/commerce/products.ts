import { z } from 'zod'
import {
  csvFields,
  deleteProduct,
  importProducts,
  listProducts,
  previewImport,
  productFields,
  productPatch,
  upsertProduct,
  type Product,
} from '#features/catalog/index.ts'
import { snakeKeys } from '#kernel/key-case.ts'
import { aProduct, anAgent } from '#operations/acts-on.ts'
import { changes, creates, type Audit } from '#operations/audited.ts'
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
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

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

const importedCounts = z.object({ created: z.int(), updated: z.int() })

const productsCsv = {
  app_id: appId,
  csv: z.string().min(1).max(4_000_000).describe('At most 5000 lines; lists use |'),
  columns: z
    .record(z.string().max(200), csvFields)
    .optional()
    .describe('The field of each column, by its header. Other columns are ignored'),
}

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
    name: 'preview_product_import',
    title: 'Preview product import',
    description:
      'Shows what import_products would do with a CSV file, and which field each column probably holds.',
    toolset: 'apps',
    scope: 'apps:read',
    surfaces: peopleOnly,
    hints: hints.read,
    input: z.object(productsCsv),
    output: z.strictObject({
      columns: z.array(
        z.strictObject({
          header: z.string(),
          field: csvFields.nullable(),
          example: z.string(),
        }),
      ),
      created: z.int(),
      updated: z.int(),
      rejected: z.int(),
      products: z
        .array(productPatch.pick({ name: true, sku: true, price_amount: true, currency: true }))
        .describe('The first ones'),
      problems: z.array(z.string()).describe('The first ones'),
    }),
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, { app_id, ...given }) => {
      const { products, ...preview } = await previewImport(ctx, workspaceId, {
        ...given,
        appId: app_id,
      })
      return {
        ...preview,
        problems: [...preview.problems],
        products: products.map(({ name, sku, price_amount, currency }) => ({
          name,
          sku,
          price_amount,
          currency,
        })),
      }
    },
  }),
  defineOperation({
    name: 'import_products',
    title: 'Import products',
    description:
      'Upserts a product for each line of a CSV file: all or none, or with partial the valid ones. The header names fields of upsert_product, or price.',
    toolset: 'apps',
    scope: 'apps:write',
    surfaces: peopleOnly,
    hints: { ...hints.update, idempotent: false },
    audit: { notes: ['app_id'], summarize: (result) => importedCounts.parse(result) },
    input: z.object({
      ...productsCsv,
      partial: z.boolean().optional().describe('Imports the valid lines and returns the others'),
    }),
    output: importedCounts
      .extend({
        rejected: z.int(),
        rejected_csv: z
          .string()
          .nullable()
          .describe('The lines that were not imported, with their problems'),
      })
      .strict(),
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, { app_id, ...given }) =>
      snakeKeys(await importProducts(ctx, workspaceId, { ...given, appId: app_id })),
  }),
]

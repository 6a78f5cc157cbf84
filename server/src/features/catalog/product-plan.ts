import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { storableText } from '#kernel/json.ts'
import type { Database, Reader } from '#platform/db/database.ts'
import { catalogFaults } from './catalog-faults.ts'
import { findNamedProducts, type ProductNames } from './named-products.ts'
import type { ProductPatch } from './product-fields.ts'
import { shopSettings } from './shop.ts'
import type { ProductRow, Shelf } from './store.ts'

export interface UpsertProduct extends ProductPatch {
  /**
   * The product to change. Without it, the product with this sku is changed, or a new one is
   * created.
   */
  readonly productId?: string | undefined
}

export interface ProductChange {
  readonly before: ProductRow
  readonly after: ProductRow
  /** Otherwise the stock is left to the checkouts, which change it at any time. */
  readonly setsStock: boolean
}

/** What a list of products changes in a catalogue. Nothing is stored yet. */
export class ProductPlan {
  readonly shelf: Shelf
  /** The products that the list names, as they are stored, by id. */
  readonly stored: ReadonlyMap<string, ProductRow>
  private readonly currency: string
  private readonly now: number
  private readonly rows: Map<string, ProductRow>
  private readonly idOfSku = new Map<string, string>()
  private readonly touched = new Set<string>()
  private readonly withStock = new Set<string>()

  constructor(shelf: Shelf, stored: readonly ProductRow[], currency: string, now: number) {
    this.shelf = shelf
    this.currency = currency
    this.now = now
    this.stored = new Map(stored.map((row) => [row.id, row]))
    this.rows = new Map(this.stored)
    for (const { id, sku } of stored) if (sku !== null) this.idOfSku.set(sku, id)
  }

  get created(): ProductRow[] {
    return [...this.rows.values()].filter(({ id }) => !this.stored.has(id))
  }

  get changed(): ProductChange[] {
    return [...this.stored.values()].flatMap((before) => {
      const after = this.rows.get(before.id)
      if (after === undefined || !this.touched.has(before.id)) return []
      return { before, after, setsStock: this.withStock.has(before.id) }
    })
  }

  /**
   * Adds a product of the list: as if those before it were stored.
   *
   * @throws Fault record_not_found, product_field_missing, sku_taken
   */
  put({ productId, ...patch }: UpsertProduct): {
    readonly row: ProductRow
    readonly isNew: boolean
  } {
    const found = this.find(productId, patch.sku)
    const row = found === undefined ? this.newRow(patch) : this.changedRow(found, patch)
    this.takeSku(row, found?.sku ?? null)
    this.rows.set(row.id, row)
    this.touched.add(row.id)
    if (patch.stock !== undefined) this.withStock.add(row.id)
    return { row, isNew: found === undefined }
  }

  private find(
    productId: string | undefined,
    sku: string | null | undefined,
  ): ProductRow | undefined {
    if (productId === undefined) return this.rows.get(this.idOfSku.get(sku ?? '') ?? '')
    const row = this.rows.get(productId)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    return row
  }

  private takeSku({ id, sku }: ProductRow, former: string | null): void {
    if (sku !== null) {
      const holder = this.idOfSku.get(sku)
      if (holder !== undefined && holder !== id) throw new Fault(catalogFaults.sku_taken, { sku })
    }
    if (former !== null) this.idOfSku.delete(former)
    if (sku !== null) this.idOfSku.set(sku, id)
  }

  /** A change is never as old as the one before: `updated_at` shows whether there was one. */
  private changedRow(found: ProductRow, patch: ProductPatch): ProductRow {
    const { updated_at = -1 } = this.stored.get(found.id) ?? {}
    return { ...patched(found, patch), updated_at: Math.max(this.now, updated_at + 1) }
  }

  private newRow(patch: ProductPatch): ProductRow {
    const { name, price_amount } = patch
    if (name === undefined) throw missing('name')
    if (price_amount === undefined) throw missing('price_amount')
    const blank: ProductRow = {
      id: newId(this.now),
      workspace_id: this.shelf.workspaceId,
      agent_id: this.shelf.agentId,
      name,
      description: '',
      sku: null,
      price_amount,
      currency: this.currency,
      images_json: '[]',
      categories_json: '[]',
      stock: null,
      fulfillment_type: 'shipping',
      tax_code: null,
      active: 1,
      created_at: this.now,
      updated_at: this.now,
      deleted_at: null,
    }
    return patched(blank, patch)
  }
}

/** A step: an empty plan for products that name these of the catalogue. */
export async function openPlan(
  reader: Reader,
  engine: Database['engine'],
  now: number,
  shelf: Shelf,
  products: Iterable<UpsertProduct>,
): Promise<ProductPlan> {
  const { currency } = await shopSettings(reader, shelf)
  const stored = await findNamedProducts(reader, engine, shelf, namesIn(products))
  return new ProductPlan(shelf, stored, currency, now)
}

export function namesIn(products: Iterable<UpsertProduct>): ProductNames {
  const ids = new Set<string>()
  const skus = new Set<string>()
  for (const { productId, sku } of products) {
    if (productId !== undefined) ids.add(productId)
    if (sku !== undefined && sku !== null) skus.add(sku)
  }
  return { ids: [...ids], skus: [...skus] }
}

/** Each field by its name: an import does this for every line. */
function patched(row: ProductRow, patch: ProductPatch): ProductRow {
  const { images, categories, active, fulfillment_type } = patch
  return {
    ...row,
    name: textOr(row.name, patch.name),
    description: textOr(row.description, patch.description),
    sku: textOr(row.sku, patch.sku),
    price_amount: patch.price_amount ?? row.price_amount,
    currency: textOr(row.currency, patch.currency),
    images_json: images === undefined ? row.images_json : JSON.stringify(images),
    categories_json: categories === undefined ? row.categories_json : JSON.stringify(categories),
    stock: patch.stock === undefined ? row.stock : patch.stock,
    fulfillment_type: fulfillment_type ?? row.fulfillment_type,
    tax_code: textOr(row.tax_code, patch.tax_code),
    active: active === undefined ? row.active : Number(active),
  }
}

function textOr(former: string, given: string | undefined): string
function textOr(former: string | null, given: string | null | undefined): string | null
function textOr(former: string | null, given: string | null | undefined): string | null {
  if (given === undefined) return former
  return given === null ? null : storableText(given)
}

function missing(field: string): Fault {
  return new Fault(catalogFaults.product_field_missing, { field })
}

import type { ItemOf } from '#api/call-operation.ts'

export type OrderStatus = ItemOf<'list_orders'>['status']

export const orderStatuses = [
  'confirmed',
  'processing',
  'shipped',
  'completed',
  'canceled',
] as const satisfies readonly OrderStatus[]

/** The state in the URL: the search and the open product. */
export interface ProductsSearch {
  readonly q?: string
  /** The id of a product, or `new`. */
  readonly edit?: string
  readonly import?: true
}

export function productsSearch(search: Record<string, unknown>): ProductsSearch {
  const { q, edit } = search
  return {
    ...(typeof q === 'string' && q !== '' ? { q } : {}),
    ...(typeof edit === 'string' ? { edit } : {}),
    ...(search.import === true ? { import: true } : {}),
  }
}

export interface OrdersSearch {
  readonly status?: OrderStatus
  /** The id of the order that is open. */
  readonly order?: string
}

export function ordersSearch(search: Record<string, unknown>): OrdersSearch {
  const status = orderStatuses.find((one) => one === search.status)
  return {
    ...(status === undefined ? {} : { status }),
    ...(typeof search.order === 'string' ? { order: search.order } : {}),
  }
}

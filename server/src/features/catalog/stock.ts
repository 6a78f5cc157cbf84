import type { Tx } from '#platform/db/database.ts'
import { giveStockBack, takeStock } from './store.ts'

interface StockLine {
  readonly productId: string
  readonly quantity: number
}

/**
 * A step: takes the stock for a payment; either all of it or nothing.
 *
 * @returns false when a product is short
 */
export async function reserveStock(
  tx: Tx,
  agentId: string,
  lines: readonly StockLine[],
): Promise<boolean> {
  const taken: StockLine[] = []
  for (const line of inOrder(lines)) {
    if (await takeStock(tx, agentId, line.productId, line.quantity)) taken.push(line)
    else {
      await returnStock(tx, agentId, taken)
      return false
    }
  }
  return true
}

/** A step: returns reserved stock after a failed payment or a canceled order. */
export async function returnStock(
  tx: Tx,
  agentId: string,
  lines: readonly StockLine[],
): Promise<void> {
  for (const { productId, quantity } of inOrder(lines))
    await giveStockBack(tx, agentId, productId, quantity)
}

/** By id, so that two carts with the same products never wait for each other in a circle. */
function inOrder(lines: readonly StockLine[]): StockLine[] {
  return lines.toSorted((a, b) => (a.productId < b.productId ? -1 : 1))
}

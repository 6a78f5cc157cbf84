import type { Tx } from '#platform/db/database.ts'
import { giveStockBack, takeStock } from './store.ts'

interface StockLine {
  readonly productId: string
  readonly quantity: number
}

/**
 * A step: takes the stock for a payment; either all of it or nothing.
 *
 * @returns the products that are short; none when everything was taken
 */
export async function reserveStock(
  tx: Tx,
  agentId: string,
  lines: readonly StockLine[],
): Promise<string[]> {
  const short: string[] = []
  const taken: StockLine[] = []
  for (const line of inOrder(lines)) {
    const isTaken = await takeStock(tx, agentId, line.productId, line.quantity)
    if (isTaken) taken.push(line)
    else short.push(line.productId)
  }
  if (short.length > 0) await returnStock(tx, agentId, taken)
  return short
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

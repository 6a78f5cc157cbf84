import { describe, expect, test } from 'vitest'
import type { Fault } from '#kernel/fault.ts'
import {
  checkoutMoves,
  checkoutStatuses,
  isOpen,
  mayMove,
  requireMove,
  type CheckoutMove,
  type CheckoutStatus,
} from './checkout-status.ts'

const moves = Object.keys(checkoutMoves) as CheckoutMove[]
const ended = ['completed', 'canceled', 'expired'] as const

describe('the state machine of a checkout session', () => {
  test('has exactly these moves', () => {
    const rows = moves.flatMap((move) =>
      checkoutMoves[move].from.map(
        (from) => `${from} → ${checkoutMoves[move].to.join(' | ')}: ${move}`,
      ),
    )
    expect(rows).toMatchInlineSnapshot(`
      [
        "not_ready_for_payment → not_ready_for_payment | ready_for_payment: update",
        "ready_for_payment → not_ready_for_payment | ready_for_payment: update",
        "authentication_required → not_ready_for_payment | ready_for_payment: update",
        "ready_for_payment → complete_in_progress: begin_payment",
        "authentication_required → complete_in_progress: begin_payment",
        "complete_in_progress → completed: payment_succeeded",
        "complete_in_progress → not_ready_for_payment | ready_for_payment: payment_declined",
        "complete_in_progress → authentication_required: authentication_asked",
        "authentication_required → completed: paid_elsewhere",
        "not_ready_for_payment → canceled: cancel",
        "ready_for_payment → canceled: cancel",
        "authentication_required → canceled: cancel",
        "not_ready_for_payment → expired: expire",
        "ready_for_payment → expired: expire",
        "authentication_required → expired: expire",
      ]
    `)
  })

  test.each(ended)('nothing leads out of %s', (status) => {
    expect(moves.filter((move) => mayMove(status, move))).toEqual([])
    expect(isOpen(status)).toBe(false)
  })

  test('every status but the first can be reached, and every open one can be left', () => {
    const reached = new Set<CheckoutStatus>(moves.flatMap((move) => [...checkoutMoves[move].to]))
    expect([...checkoutStatuses].filter((status) => !reached.has(status))).toEqual([])
    const left = new Set<CheckoutStatus>(moves.flatMap((move) => [...checkoutMoves[move].from]))
    expect([...checkoutStatuses].filter((status) => !left.has(status))).toEqual([...ended])
  })

  test('a move that is not in the table is refused with its reason', () => {
    const why = {
      completed: 'session_completed',
      canceled: 'session_canceled',
      expired: 'session_expired',
      complete_in_progress: 'payment_in_progress',
    } as const
    for (const status of checkoutStatuses)
      for (const move of moves) {
        if (mayMove(status, move)) {
          expect(() => requireMove(status, move)).not.toThrow()
          continue
        }
        const code = status in why ? why[status as keyof typeof why] : undefined
        try {
          requireMove(status, move)
          expect.unreachable()
        } catch (error) {
          if (code !== undefined) expect((error as Fault).code).toBe(code)
          else expect(String(error)).toContain(`cannot ${move}`)
        }
      }
  })
})

import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Consumer } from './credit-entry.ts'
import { costOf, currentPrice } from './prices/price.ts'
import { TurnCredits } from './turn-credits.ts'

/**
 * Sets aside, where credits are limited, what a use besides chat turns may cost at most. What it
 * really cost is booked by `bookUsage`, or by nobody where it did not come about.
 *
 * @param model the model id; tokens as it may count them at most
 * @returns what gives back what was set aside, to be called after that
 * @throws Fault credits_used_up, credit_cap_reached
 */
export async function holdForUse(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'log'>,
  use: { readonly consumer: Consumer; readonly model: string },
  maxTokens: number,
): Promise<() => Promise<void>> {
  if (costOf(await currentPrice(ctx, use.model), maxTokens, 0) === 0) return async () => undefined
  const startedAt = ctx.clock.now()
  const credits = await TurnCredits.open(ctx, { ...use, turnId: newId(startedAt), startedAt })
  await credits.holdForModel({ promptTokens: maxTokens, completionTokens: 0 })
  return () => credits.release()
}

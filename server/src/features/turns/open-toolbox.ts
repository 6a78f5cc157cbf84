import { offerActions } from '#features/actions/index.ts'
import { Toolbox, type ToolTurn } from '#features/tool-calls/index.ts'
import { offerRemoteTools } from '#features/tool-servers/index.ts'
import { openVariables } from '#features/variables/index.ts'
import { createMask, type Mask } from '#kernel/mask.ts'
import type { Context } from '#platform/context.ts'

export type ToolContext = Pick<
  Context,
  'db' | 'clock' | 'config' | 'log' | 'vault' | 'outbound' | 'remoteTools'
>

/** More are refused by OpenAI's API and those like it, and the whole turn with them. */
const maxOfferedTools = 128

/** Everything that an agent's model may call in this turn; actions come before remote tools. */
export async function openToolbox(
  ctx: ToolContext,
  turn: ToolTurn,
  signal: AbortSignal,
): Promise<Toolbox> {
  const budget = AbortSignal.timeout(ctx.config.actionTurnBudgetMs)
  const variables = await openVariables(ctx, ctx.db.read, turn.agentId)
  const late = lateMask(variables.mask)
  const [actions, remote] = await Promise.all([
    offerActions(ctx, turn.agentId, { ...variables, mask: late.mask }, systemValues(ctx, turn)),
    offerRemoteTools(ctx, turn.agentId, late.mask, AbortSignal.any([signal, budget])),
  ])
  late.add(remote.secrets)
  const all = [...actions, ...remote.tools]
  const offered = all.slice(0, maxOfferedTools)
  if (offered.length < all.length)
    ctx.log.warn(
      { agentId: turn.agentId, tools: all.length, offered: offered.length },
      'an agent has more tools than a model is offered',
    )
  return new Toolbox(ctx, turn, { offered, mask: late.mask, budget, close: remote.close })
}

function systemValues({ clock }: Pick<Context, 'clock'>, turn: ToolTurn) {
  return {
    conversation_id: turn.conversationId,
    user_id: turn.endUser ?? '',
    timestamp: new Date(clock.now()).toISOString(),
    agent_name: turn.agentName,
    last_user_message: turn.lastUserMessage,
  }
}

/** A mask that learns more secrets before the first call is made. */
function lateMask(first: Mask): { mask: Mask; add(secrets: readonly string[]): void } {
  let more: Mask | null = null
  return {
    mask: {
      text: (text) => more?.text(first.text(text)) ?? first.text(text),
      value: (value) => (more === null ? first.value(value) : more.value(first.value(value))),
    },
    add: (secrets) => {
      more = createMask(secrets)
    },
  }
}

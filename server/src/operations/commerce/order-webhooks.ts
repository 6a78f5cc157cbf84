import { z } from 'zod'
import { webUrl } from '#features/catalog/index.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookDeliveries,
  listWebhookEndpoints,
  redeliverWebhook,
} from '#features/webhooks/index.ts'
import { aWebhookDelivery, aWebhookEndpoint, anAgent } from '#operations/acts-on.ts'
import { changes, creates, itsCreatedId } from '#operations/audited.ts'
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
import { addressFor } from '#operations/show-address.ts'
import { showAs } from '#operations/show-as.ts'

const endpoint = z.strictObject({
  id: recordId,
  app_id: recordId,
  url: z.string(),
  created_at: timestamp,
})

const delivery = z.strictObject({
  id: recordId,
  endpoint_id: recordId,
  order_id: recordId,
  event_type: z.enum(['order_create', 'order_update']),
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int(),
  response_status: z.int().nullable(),
  error: z.string().nullable(),
  next_attempt_at: timestamp.nullable(),
  created_at: timestamp,
  delivered_at: timestamp.nullable(),
})

const show = showAs(endpoint)

const showDelivery = showAs(delivery)

const common = { toolset: 'apps', surfaces: peopleOnly } as const

export const orderWebhookOperations = [
  defineOperation({
    ...common,
    name: 'create_webhook_endpoint',
    title: 'Create order webhook',
    description:
      'Adds an address that is notified of every order. Its signing secret is shown only now.',
    scope: 'apps:write',
    hints: hints.create,
    audit: creates('webhook_endpoints'),
    input: z.object({ app_id: appId, url: webUrl }),
    output: endpoint.extend({ secret: z.string() }),
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, input) => {
      const made = await createWebhookEndpoint(ctx, workspaceId, input.app_id, input.url)
      return { ...show(made), secret: made.secret }
    },
  }),
  defineOperation({
    ...common,
    name: 'list_webhook_endpoints',
    title: 'List order webhooks',
    description:
      'Lists the addresses that are notified of orders, oldest first. To viewers, parts that may be secret are hidden.',
    scope: 'apps:read',
    hints: hints.read,
    input: z.object({ app_id: appId, ...paging }),
    output: listOf(endpoint),
    actsOn: anAgent,
    run: async (ctx, call, input) => {
      const address = addressFor(call, 'apps:write')
      const found = await listWebhookEndpoints(ctx, call.workspaceId, input.app_id, input)
      return listAnswer(found, (one) => ({ ...show(one), url: address(one.url) }))
    },
  }),
  defineOperation({
    ...common,
    name: 'delete_webhook_endpoint',
    title: 'Delete order webhook',
    description: 'Removes an address. Pending events are not delivered.',
    scope: 'apps:write',
    hints: hints.remove,
    audit: changes('webhook_endpoints', 'id'),
    input: z.object({ id: recordId }),
    output: endpoint,
    actsOn: aWebhookEndpoint,
    run: async (ctx, { workspaceId }, input) =>
      show(await deleteWebhookEndpoint(ctx, workspaceId, input.id)),
  }),
  defineOperation({
    ...common,
    name: 'list_webhook_deliveries',
    title: 'List webhook deliveries',
    description: 'Lists the events sent to order webhooks and the responses, newest first.',
    scope: 'apps:read',
    hints: hints.read,
    input: z.object({ app_id: appId, order_id: recordId.optional(), ...paging }),
    output: listOf(delivery),
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, { app_id, order_id: orderId, ...page }) => {
      const search = { ...page, orderId }
      return listAnswer(await listWebhookDeliveries(ctx, workspaceId, app_id, search), showDelivery)
    },
  }),
  defineOperation({
    ...common,
    name: 'redeliver_webhook',
    title: 'Redeliver webhook',
    description: 'Sends an event again, unchanged.',
    scope: 'apps:write',
    hints: { ...hints.create, openWorld: true },
    audit: { createdId: (result) => itsCreatedId.parse(result) },
    input: z.object({ id: recordId.describe('The id of a delivery') }),
    output: delivery,
    actsOn: aWebhookDelivery,
    run: async (ctx, { workspaceId }, input) =>
      showDelivery(await redeliverWebhook(ctx, workspaceId, input.id)),
  }),
]

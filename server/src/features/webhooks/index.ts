export { deliverWebhook, merchantSignature } from './deliver-webhook.ts'
export { queueDelivery } from './queue-delivery.ts'
export {
  listWebhookDeliveries,
  redeliverWebhook,
  webhookDeliveryWorkspace,
  type WebhookDelivery,
} from './webhook-deliveries.ts'
export {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  webhookEndpointWorkspace,
  type WebhookEndpoint,
} from './webhook-endpoints.ts'
export { listEndpointRows, type DeliveryRow } from './webhook-store.ts'

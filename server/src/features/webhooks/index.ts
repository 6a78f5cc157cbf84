export { webhookFaults } from './webhook-faults.ts'
export { deliverWebhook, merchantSignature } from './deliver-webhook.ts'
export { sealAddresses } from './seal-addresses.ts'
export { shownAddress } from './stored-address.ts'
export { queueDelivery } from './queue-delivery.ts'
export { listWebhookDeliveries, redeliverWebhook } from './webhook-deliveries.ts'
export {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
} from './webhook-endpoints.ts'
export { listEndpointRows, type DeliveryRow } from './webhook-store.ts'

/** The names that logs use for the records that they are about. */
export const records = {
  named: '{kind} “{name}”',
  kinds: {
    agent: 'Agent',
    source: 'Source',
    action: 'Action',
    tool_server: 'Tool server',
    product: 'Product',
    order: 'Order',
    chat_key: 'Chat key',
    checkout_key: 'Checkout key',
    developer_key: 'Developer key',
    connected_app: 'Connected app',
    webhook: 'Webhook',
    member: 'Member',
    workspace: 'Workspace',
  },
} as const

/** The names that logs use for the records that they are about. */
export const records = {
  named: '{kind} “{name}”',
  unnamed: 'A record that was deleted or has no name',
  id: 'ID',
  kinds: {
    agent: 'Agent',
    source: 'Source',
    action: 'Action',
    tool_server: 'MCP server',
    product: 'Product',
    order: 'Order',
    chat_key: 'Chat key',
    checkout_key: 'Checkout key',
    developer_key: 'Developer key',
    connected_app: 'Connected app',
    webhook: 'Webhook',
    conversation: 'Conversation with',
    member: 'Member',
    invitation: 'Invitation',
    workspace: 'Workspace',
  },
} as const

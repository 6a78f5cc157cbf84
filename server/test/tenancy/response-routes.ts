import { bearer, type Ids, type Route } from './tenant-request.ts'

/** The routes of the Responses API. */
export const responseRoutes: Readonly<Record<string, Route>> = {
  'POST /api/v1/responses': (own, ids) => {
    const to = (fields: object) => ({
      path: '/api/v1/responses',
      init: bearer(own.chatKey, { input: 'hello', ...fields }),
    })
    const { responseId } = ids
    const conversation = `conv_${ids.chatSessionId.replaceAll('-', '')}`
    return [
      to({ model: ids.appNameId }),
      to({ model: own.appNameId, previous_response_id: responseId }),
      to({ model: own.appNameId, conversation }),
      to({
        model: own.appNameId,
        input: [{ type: 'item_reference', id: responseId.replace('resp', 'msg') }],
      }),
    ]
  },
  'GET /api/v1/responses/:id': (own, ids) => [
    { path: `/api/v1/responses/${ids.responseId}`, init: bearer(own.chatKey) },
  ],
  'DELETE /api/v1/responses/:id': (own, ids) => [
    {
      path: `/api/v1/responses/${ids.responseId}`,
      init: { ...bearer(own.chatKey), method: 'DELETE' },
    },
  ],
  'GET /api/v1/responses/:id/input_items': (own, ids) => [
    { path: `/api/v1/responses/${ids.responseId}/input_items`, init: bearer(own.chatKey) },
  ],
  'POST /api/v1/responses/:id/cancel': (own, ids) => [
    { path: `/api/v1/responses/${ids.responseId}/cancel`, init: bearer(own.chatKey, {}) },
  ],
  'POST /api/v1/responses/compact': (own, ids) => {
    const to = (fields: object) => ({
      path: '/api/v1/responses/compact',
      init: bearer(own.chatKey, fields),
    })
    return [
      to({ model: ids.appNameId, input: 'hello' }),
      to({ model: own.appNameId, previous_response_id: ids.responseId }),
    ]
  },
  'POST /api/v1/conversations': (own, ids) => [
    {
      path: '/api/v1/conversations',
      init: bearer(own.chatKey, {
        items: [{ type: 'item_reference', id: ids.responseId.replace('resp', 'msg') }],
      }),
    },
  ],
  'GET /api/v1/conversations/:id': (own, ids) => [
    { path: conversationOf(ids), init: bearer(own.chatKey) },
  ],
  'POST /api/v1/conversations/:id': (own, ids) => [
    { path: conversationOf(ids), init: bearer(own.chatKey, { metadata: {} }) },
  ],
  'DELETE /api/v1/conversations/:id': (own, ids) => [
    { path: conversationOf(ids), init: { ...bearer(own.chatKey), method: 'DELETE' } },
  ],
  'GET /api/v1/conversations/:id/items': (own, ids) => [
    { path: `${conversationOf(ids)}/items`, init: bearer(own.chatKey) },
  ],
  'POST /api/v1/conversations/:id/items': (own, ids) => [
    {
      path: `${conversationOf(ids)}/items`,
      init: bearer(own.chatKey, { items: [{ role: 'user', content: 'hello' }] }),
    },
  ],
  'GET /api/v1/conversations/:id/items/:item': (own, ids) => [
    { path: `${conversationOf(ids)}/items/${itemOf(ids)}`, init: bearer(own.chatKey) },
  ],
  'DELETE /api/v1/conversations/:id/items/:item': (own, ids) => [
    {
      path: `${conversationOf(ids)}/items/${itemOf(ids)}`,
      init: { ...bearer(own.chatKey), method: 'DELETE' },
    },
  ],
}

function conversationOf({ chatSessionId }: Pick<Ids, 'chatSessionId'>): string {
  return `/api/v1/conversations/conv_${chatSessionId.replaceAll('-', '')}`
}

/** The answer in that conversation. */
function itemOf({ messageId }: Pick<Ids, 'messageId'>): string {
  return messageId.replace('chatcmpl-', 'msg_').replaceAll('-', '')
}

import { z } from 'zod'
import { answer, json, parameter, schemaOf, type Endpoint } from '#surfaces/http/open-api.ts'
import { storedItem } from './open-api-items.ts'
import { conversationBody, itemsBody, itemsPage } from './open-api-responses.ts'

/** Conversations as OpenAI's clients call them. */

const conversation = z.object({
  id: z.string().regex(/^conv_/),
  object: z.literal('conversation'),
  created_at: z.int(),
  metadata: z.record(z.string(), z.string()),
})

const deleted = z.object({
  id: z.string(),
  object: z.literal('conversation.deleted'),
  deleted: z.boolean(),
})

const id = parameter('path', 'id', 'The id of a conversation')
const itemId = parameter('path', 'item', 'The id of an item')
const stored = [400, 401, 404, 405, 429, 500, 503]
const changed = [400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503]
const one = { 200: answer('The conversation', conversation) }
const page = { 200: answer('A page of items', itemsPage) }
const base = '/api/v1/conversations'

export const conversationEndpoints: readonly Endpoint[] = [
  {
    method: 'post',
    path: base,
    id: 'create_conversation',
    summary: 'Create a conversation',
    parameters: [],
    body: json(schemaOf(conversationBody, 'input')),
    answers: one,
    refusals: changed,
  },
  {
    method: 'get',
    path: `${base}/{id}`,
    id: 'get_conversation',
    summary: 'Get a conversation',
    parameters: [id],
    answers: one,
    refusals: stored,
  },
  {
    method: 'post',
    path: `${base}/{id}`,
    id: 'update_conversation',
    summary: 'Replace the metadata of a conversation',
    parameters: [id],
    body: json(schemaOf(conversationBody.pick({ metadata: true }).required(), 'input')),
    answers: one,
    refusals: changed,
  },
  {
    method: 'delete',
    path: `${base}/{id}`,
    id: 'delete_conversation',
    summary: 'Delete a conversation with its items and responses',
    parameters: [id],
    answers: { 200: answer('It is deleted', deleted) },
    refusals: stored,
  },
  {
    method: 'get',
    path: `${base}/{id}/items`,
    id: 'list_conversation_items',
    summary: 'List the items of a conversation',
    parameters: [
      id,
      ...['limit', 'order', 'after'].map((name) => parameter('query', name, `OpenAI’s ${name}`)),
    ],
    answers: page,
    refusals: stored,
  },
  {
    method: 'post',
    path: `${base}/{id}/items`,
    id: 'create_conversation_items',
    summary: 'Add items to a conversation',
    parameters: [id],
    body: json(schemaOf(itemsBody, 'input')),
    answers: page,
    refusals: changed,
  },
  {
    method: 'get',
    path: `${base}/{id}/items/{item}`,
    id: 'get_conversation_item',
    summary: 'Get an item',
    parameters: [id, itemId],
    answers: { 200: answer('The item', storedItem) },
    refusals: stored,
  },
  {
    method: 'delete',
    path: `${base}/{id}/items/{item}`,
    id: 'delete_conversation_item',
    summary: 'Delete an item',
    parameters: [id, itemId],
    answers: one,
    refusals: stored,
  },
]

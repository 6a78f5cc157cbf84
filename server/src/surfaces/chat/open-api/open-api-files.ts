import { z } from 'zod'
import { answer, parameter, schemaOf, type Endpoint } from '#surfaces/http/open-api.ts'

/** Uploaded files as OpenAI's clients call them. */

const file = z.object({
  id: z.string().regex(/^file-/),
  object: z.literal('file'),
  bytes: z.int(),
  created_at: z.int(),
  expires_at: z.int(),
  filename: z.string(),
  purpose: z.enum(['assistants', 'user_data', 'vision']),
  status: z.literal('processed'),
})

const filesPage = z.object({
  object: z.literal('list'),
  data: z.array(file),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
})

const form = z.object({
  file: z.string().describe('The file, with its name'),
  purpose: file.shape.purpose,
  user: z
    .string()
    .optional()
    .describe('The end user that it belongs to: erasing this person deletes it'),
  'expires_after[anchor]': z.literal('created_at').optional(),
  'expires_after[seconds]': z.int().min(3_600).max(2_592_000).optional(),
})

const deleted = z.object({ id: z.string(), object: z.literal('file'), deleted: z.boolean() })
const id = parameter('path', 'id', 'The id of a file')
const base = '/api/v1/files'
const one = { 200: answer('The file', file) }
const bytes = { schema: { type: 'string', format: 'binary' } }

export const fileEndpoints: readonly Endpoint[] = [
  {
    method: 'post',
    path: base,
    id: 'create_file',
    summary: 'Upload a file',
    parameters: [],
    body: { 'multipart/form-data': { schema: schemaOf(form, 'input') } },
    answers: one,
    refusals: [400, 401, 403, 404, 405, 413, 415, 429, 500, 503],
  },
  {
    method: 'get',
    path: base,
    id: 'list_files',
    summary: 'List the files of the agent',
    parameters: ['limit', 'order', 'after', 'purpose'].map((name) =>
      parameter('query', name, `OpenAI’s ${name}`),
    ),
    answers: { 200: answer('A page of files', filesPage) },
    refusals: [400, 401, 404, 405, 429, 500, 503],
  },
  {
    method: 'get',
    path: `${base}/{id}`,
    id: 'get_file',
    summary: 'Get a file',
    parameters: [id],
    answers: one,
    refusals: [401, 404, 405, 429, 500, 503],
  },
  {
    method: 'get',
    path: `${base}/{id}/content`,
    id: 'get_file_content',
    summary: 'Download a file',
    parameters: [id],
    answers: {
      200: { description: 'Its bytes', content: { 'application/octet-stream': bytes } },
    },
    refusals: [401, 404, 405, 429, 500, 503],
  },
  {
    method: 'delete',
    path: `${base}/{id}`,
    id: 'delete_file',
    summary: 'Delete a file',
    parameters: [id],
    answers: { 200: answer('It is deleted', deleted) },
    refusals: [401, 404, 405, 429, 500, 503],
  },
]

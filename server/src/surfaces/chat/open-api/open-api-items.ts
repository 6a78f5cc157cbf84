import { z } from 'zod'

/** The items that the service answers with; Open Responses 2026-04-24 has further ones. */

const annotation = z.object({
  type: z.literal('url_citation'),
  url: z.string(),
  title: z.string(),
  start_index: z.int(),
  end_index: z.int(),
})

const content = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_text'), text: z.string() }),
  z.object({ type: z.literal('input_image'), image_url: z.string(), detail: z.literal('auto') }),
  z.object({ type: z.literal('input_file'), filename: z.string() }),
  z.object({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(annotation),
    logprobs: z.array(z.never()),
  }),
  z.object({ type: z.literal('refusal'), refusal: z.string() }),
])

const status = z.enum(['in_progress', 'completed', 'incomplete'])

const message = z.object({
  type: z.literal('message'),
  id: z.string().regex(/^msg_/),
  status,
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  phase: z.enum(['commentary', 'final_answer']).optional().describe('Of an assistant'),
  content: z.array(content),
})

const functionCall = z.object({
  type: z.literal('function_call'),
  id: z.string().regex(/^fc_/),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
  status,
})

const functionCallOutput = z.object({
  type: z.literal('function_call_output'),
  id: z.string().regex(/^fco_/),
  call_id: z.string(),
  output: z.string(),
  status,
})

const reasoning = z.object({
  type: z.literal('reasoning'),
  id: z.string().regex(/^rs_/),
  summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })),
})

const compaction = z.object({
  type: z.literal('compaction'),
  id: z.string().regex(/^cmp_/),
  encrypted_content: z.string(),
})

/** An item of a conversation, or of the input of a response. */
export const storedItem = z.discriminatedUnion('type', [message, functionCall, functionCallOutput])

/** An item of the output of a response. */
export const outputItem = z.discriminatedUnion('type', [message, functionCall, reasoning])

export const compactedItem = z.discriminatedUnion('type', [message, compaction])

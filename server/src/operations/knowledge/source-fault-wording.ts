import type { ingestionFaults } from '#features/ingestion/index.ts'
import type { WordsByCode } from '#kernel/fault-table.ts'
import type { sourceFaults } from './knowledge.ts'

export type SourceFaults = typeof ingestionFaults & typeof sourceFaults

/** The sentences of `faultMessage` about sources of knowledge. */
export const sourceWords: WordsByCode<SourceFaults> = {
  source_too_large: ({ bytes, limit_bytes }) =>
    `It is ${bytes} bytes long; the limit for a source is ${limit_bytes}. Split it, or raise MAX_TEXT_SOURCE_BYTES (for a file, MAX_FILE_SOURCE_BYTES).`,
  source_empty: 'It has no readable text. Add some text.',
  source_format_unknown: ({ known }) =>
    `Files of this kind cannot be read. Give one whose name ends in ${known.join('; ')}.`,
  source_address_invalid:
    'Give an http(s) address without user and password, such as https://example.com/help.',
  source_field_missing: ({ kind, field }) => `A source of kind ${kind} needs ${field}.`,
  source_field_unfit: ({ kind, field }) => `A source of kind ${kind} has no ${field}.`,
  source_bytes_unavailable: 'The file storage cannot be read at the moment. Try again later.',
  source_bytes_lost:
    'The file storage no longer has this file. Its text is still searched. Upload the file again.',
  source_being_read: 'It is being read now. Try again when it is ready.',
  source_encoding_invalid: 'content_base64 is not base64. Encode the bytes of the file.',
}

import { defineFaults, withFacts } from '#kernel/fault.ts'

/** `at` is the place of the file in the request. */
type Place = { readonly at: string }

export const fileFaults = defineFaults({
  /** Only messages of a user can hold files. */
  file_misplaced: withFacts<Place>('invalid'),
  files_too_many: withFacts<{ most: number }>('invalid'),
  file_format_unknown: withFacts<Place & { known: readonly string[] }>('invalid'),
  /** It is damaged, protected by a password, empty, or needs too much memory or time. */
  file_unreadable: withFacts<Place & { problem: string }>('invalid'),
  /** Also for a private address: a reason of its own would reveal the network behind the service. */
  file_unreachable: withFacts<Place>('invalid'),
  file_too_large: withFacts<Place & { limitBytes: number }>('too_large'),
  file_too_long: withFacts<{ limit: number }>('too_large'),
  /** The agent has no file with this id: it may be another agent's. */
  file_id_unknown: withFacts<Place>('invalid'),
  /** An image by its id or address has another format. */
  image_unreadable: withFacts<Place>('invalid'),
  /** All images of a request that are named by their ids or addresses. */
  images_too_large: withFacts<Place & { limitBytes: number }>('too_large'),
  /** The file of a request about it. */
  file_unknown: 'not_found',
  upload_empty: 'invalid',
  /** Too many files are being read, or one has waited too long for that; or too many arrive. */
  files_busy: withFacts<{ retryAfterSeconds: number }>('limited'),
})

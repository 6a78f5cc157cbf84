import { newId } from '#kernel/ids.ts'

/** Printable ASCII, so that it can stand in a header and a log line as it came. */
const printable = /^[\x21-\x7e]{1,200}$/

/** The caller's id when it can be echoed as it is, else one of ours. */
export function correlationId(given: string | undefined): string {
  return given !== undefined && printable.test(given) ? given : newId()
}

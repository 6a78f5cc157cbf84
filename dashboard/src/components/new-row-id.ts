/** The id of a new row. `crypto.randomUUID` is available only on https and localhost. */
export function newRowId(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))]
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

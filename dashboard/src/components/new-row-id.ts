/** The id of a row that is new. `crypto.randomUUID` is there on https and this computer only. */
export function newRowId(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))]
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

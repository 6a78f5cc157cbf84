/** Saves a text as a file, as a link with `download` does. */
export function saveFile(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // By then the browser has started to read the blob.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

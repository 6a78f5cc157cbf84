/**
 * The text of a chosen file. Null if the browser can no longer read it, because it was moved, changed
 * or deleted, or because access is denied.
 */
export async function textOfFile(file: File): Promise<string | null> {
  try {
    return await file.text()
  } catch (error) {
    if (error instanceof DOMException) return null
    throw error
  }
}

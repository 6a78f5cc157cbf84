/**
 * The text of a file that a person chose; null when the browser can no longer read it: it was moved,
 * changed or deleted since, or may not be read.
 */
export async function textOfFile(file: File): Promise<string | null> {
  try {
    return await file.text()
  } catch (error) {
    if (error instanceof DOMException) return null
    throw error
  }
}

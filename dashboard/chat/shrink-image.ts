/** What models read. */
export const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/** More pixels help no model, and cost the visitor an upload. */
const longestSide = 1600
const smallBytes = 300_000

/**
 * A photo as a smaller JPEG, without what the camera has written into it, such as the place. Small images
 * without such data stay as they are.
 */
export async function shrink(image: Blob): Promise<Blob> {
  const isPlain = image.type === 'image/png' || image.type === 'image/gif'
  if (isPlain && image.size <= smallBytes) return image
  const bitmap = await createImageBitmap(image)
  const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  const context = canvas.getContext('2d')
  if (context === null) return image
  // JPEG has no transparency.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  return await new Promise((resolve, reject) =>
    canvas.toBlob(
      (made) => (made === null ? reject(new Error('no image')) : resolve(made)),
      'image/jpeg',
      0.85,
    ),
  )
}

/** What the page, and its icon on phones, can use. */
const longestSide = 256
/** The service takes 60,000 characters. */
const mostCharacters = 60_000

/**
 * An image as a PNG that is small enough for the settings, as a `data:` URL; null if the file is no image
 * or cannot be made small enough.
 */
export async function logoOfFile(file: File): Promise<string | null> {
  const image = await open(file)
  if (image === null) return null
  for (let side = longestSide; side >= 64; side /= 2) {
    const logo = draw(image, side)
    if (logo !== null && logo.length <= mostCharacters) return logo
  }
  return null
}

/** An `img`, because `createImageBitmap` reads no SVG. It runs no scripts of an image. */
async function open(file: File): Promise<HTMLImageElement | null> {
  const image = new Image()
  image.src = URL.createObjectURL(file)
  try {
    await image.decode()
    return image
  } catch {
    return null
  } finally {
    URL.revokeObjectURL(image.src)
  }
}

function draw(image: HTMLImageElement, side: number): string | null {
  // An SVG without a size of its own has none in some browsers.
  const [width, height] = [image.naturalWidth || side, image.naturalHeight || side]
  const scale = side / Math.max(width, height)
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const context = canvas.getContext('2d')
  if (context === null) return null
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL('image/png')
}
